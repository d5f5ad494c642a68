/** Spreads rows over a fixed number of index partitions, by a hash of their id. */

/** A number from 0 to `shards` − 1 (FNV-1a). */
export function shardOf(id: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  return hash % shards;
}
