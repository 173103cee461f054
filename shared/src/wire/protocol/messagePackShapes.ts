export type Kind = 'integer' | 'scalar' | 'string' | 'binary' | 'timestamp' | 'array' | 'map' | 'refused';

/** What the first byte of a value announces. */
export interface Shape {
  readonly kind: Kind;
  /** Bytes of the length that follows; 0 where the first byte says it all. */
  readonly lengthBytes: 0 | 1 | 2 | 4;
  /** Bytes of content, or items, or pairs, where the first byte says it all. */
  readonly length: number;
}

const fixed = (kind: Kind, length: number): Shape => ({ kind, lengthBytes: 0, length });

const sized = (kind: Kind, lengthBytes: 1 | 2 | 4): Shape => ({ kind, lengthBytes, length: 0 });

const widths = [1, 2, 4] as const;

const shapeOf = (head: number): Shape => {
  if (head < 0x80 || head >= 0xe0) return fixed('integer', 0);
  if (head < 0x90) return fixed('map', head - 0x80);
  if (head < 0xa0) return fixed('array', head - 0x90);
  if (head < 0xc0) return fixed('string', head - 0xa0);
  if (head === 0xc1) return fixed('refused', 0);
  if (head < 0xc4) return fixed('scalar', 0);
  if (head < 0xc7) return sized('binary', widths[(head - 0xc4) as 0 | 1 | 2]);
  if (head < 0xca) return sized('timestamp', widths[(head - 0xc7) as 0 | 1 | 2]);
  if (head < 0xcc) return fixed('scalar', head === 0xca ? 4 : 8);
  if (head < 0xd4) return fixed('integer', 1 << ((head - 0xcc) & 3));
  if (head < 0xd9) return fixed('timestamp', 1 << (head - 0xd4));
  if (head < 0xdc) return sized('string', widths[(head - 0xd9) as 0 | 1 | 2]);
  return sized(head < 0xde ? 'array' : 'map', head % 2 === 0 ? 2 : 4);
};

const shapes: readonly Shape[] = Array.from({ length: 256 }, (_, head) => shapeOf(head));

/** 0xc1 has no meaning, and so stands for the end of the bytes too. */
export const shapeAt = (bytes: Uint8Array, at: number): Shape => shapes[bytes[at] ?? 0xc1] as Shape;
