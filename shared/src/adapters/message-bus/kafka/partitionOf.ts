const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;

const mixed = (word: number): number => {
  const multiplied = Math.imul(word, multiplier);
  return Math.imul(multiplied ^ (multiplied >>> 24), multiplier);
};

/** Murmur2 as Kafka's own clients compute it, so that programs in other languages find the same partition. */
const murmur2 = (bytes: Uint8Array): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rest = bytes.length & 3;
  const restStart = bytes.length - rest;
  let hash = seed ^ bytes.length;
  for (let at = 0; at < restStart; at += 4)
    hash = Math.imul(hash, multiplier) ^ mixed(view.getInt32(at, true));
  for (let at = rest - 1; at >= 0; at -= 1) hash ^= (bytes[restStart + at] as number) << (8 * at);
  if (rest > 0) hash = Math.imul(hash, multiplier);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
};

/** Writers and readers of a topic agree on it as long as its number of partitions stays as it is. */
export const partitionOf = (key: Uint8Array, partitions: number): number =>
  (murmur2(key) & 0x7fffffff) % partitions;
