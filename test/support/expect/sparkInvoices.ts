/** Decodes a Spark invoice by the network's specification, without the sandbox's code. */
import { bech32m } from '@scure/base';

type Fields = Map<number, number | Uint8Array>;

/** The fields of a protobuf message by their numbers; whole numbers and bytes only. */
function readMessage(bytes: Uint8Array): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const readNumber = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at] ?? Number.NaN;
      at += 1;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
      if (Number.isNaN(byte)) throw new Error('The message ends within a number');
    }
  };
  while (at < bytes.length) {
    const tag = readNumber();
    const value = readNumber();
    if (tag % 8 === 2) {
      fields.set(tag >>> 3, bytes.subarray(at, at + value));
      at += value;
    } else if (tag % 8 === 0) fields.set(tag >>> 3, value);
    else throw new Error(`Wire type ${tag % 8} has no place in an invoice`);
  }
  return fields;
}

const bytesOf = (fields: Fields, field: number): Uint8Array => fields.get(field) as Uint8Array;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Decodes an address or an invoice of the network. */
export function readSpark(text: string) {
  const { prefix, words } = bech32m.decode(text as `${string}1${string}`, 1024);
  const message = readMessage(bech32m.fromWords(words));
  const publicKey = hex(bytesOf(message, 1));
  if (!message.has(2)) return { prefix, publicKey };
  const fields = readMessage(bytesOf(message, 2));
  const sats = fields.has(4) ? readMessage(bytesOf(fields, 4)).get(1) : undefined;
  const token = fields.has(3) ? readMessage(bytesOf(fields, 3)) : undefined;
  return {
    prefix,
    publicKey,
    invoice: {
      version: fields.get(1),
      id: hex(bytesOf(fields, 2)),
      memo: new TextDecoder().decode(bytesOf(fields, 5)),
      expiresAt: 1000 * Number(readMessage(bytesOf(fields, 7)).get(1)),
      ...(token === undefined
        ? { asset: 'BTC', amount: sats }
        : { asset: 'USDB', amount: Number(`0x${hex(bytesOf(token, 2))}`), token: hex(bytesOf(token, 1)) }),
    },
  };
}
