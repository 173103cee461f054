import type { Random } from '@roomwire/shared/ports/random';

/** The chance by which a wait with jitter is never shortened. */
export const longestWaits: Pick<Random, 'bytes'> = { bytes: (length) => new Uint8Array(length).fill(255) };
