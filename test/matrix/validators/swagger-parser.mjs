/** `node swagger-parser.mjs FILE`: exits with 0 if the parser accepts the contract. */
import SwaggerParser from '@apidevtools/swagger-parser';

await SwaggerParser.validate(process.argv[2]);
console.log('valid');
