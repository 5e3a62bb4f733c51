/** `node swagger-parser.mjs FILE`: ends with 0 if the parser takes the contract. */
import SwaggerParser from '@apidevtools/swagger-parser';

await SwaggerParser.validate(process.argv[2]);
console.log('valid');
