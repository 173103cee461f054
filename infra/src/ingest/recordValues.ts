import { Buffer } from 'node:buffer';

/** What a record's value becomes in the body of a publish. */
type Data = { readonly data: unknown } | { readonly base64: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

const base64 = (...bytes: readonly Uint8Array[]): Data => ({
  base64: Buffer.concat(bytes).toString('base64'),
});

/** Of bytes in MessagePack: what stands in front of them. */
const binaryHead = (length: number): Uint8Array => {
  const head = Buffer.alloc(5);
  head.writeUInt8(0xc6, 0);
  head.writeUInt32BE(length, 1);
  return head;
};

/** By their names in the command. Each throws for a value that is not of its kind; MessagePack is judged by the API. */
export const valueKinds = {
  json: (value) => ({ data: JSON.parse(utf8.decode(value)) as unknown }),
  msgpack: (value) => base64(value),
  text: (value) => ({ data: utf8.decode(value) }),
  bytes: (value) => base64(binaryHead(value.length), value),
} as const satisfies Readonly<Record<string, (value: Uint8Array) => Data>>;

export type ValueKind = keyof typeof valueKinds;
