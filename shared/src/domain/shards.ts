/** Into how many shards work by room is divided. It cannot change while work of several processes is under way. */
export const shardCount = 64;

/** The shard of a room in its scope (`<room id>/<scope id>`), the same in every process and release: 32 bits of FNV-1a. */
export const shardOf = (roomKey: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < roomKey.length; index += 1)
    hash = Math.imul(hash ^ roomKey.charCodeAt(index), 0x01000193);
  // The low bits of FNV alone depend on the low bits of the text.
  return ((hash ^ (hash >>> 16)) >>> 0) % shardCount;
};
