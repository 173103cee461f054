import { Capabilities } from '../domain/capabilities.js';

/**
 * The capabilities in the claim `roomwire` of a client token; undefined for a token without, which is not narrowed. What is there and
 * cannot be understood is malformed: it was meant to narrow.
 */
export const readCapabilities = (roomwire: unknown): Capabilities | undefined | 'malformed' => {
  if (roomwire === undefined) return undefined;
  if (typeof roomwire !== 'object' || roomwire === null || Array.isArray(roomwire)) return 'malformed';
  const { capabilities } = roomwire as { readonly capabilities?: unknown };
  return capabilities === undefined ? undefined : (Capabilities.parse(capabilities) ?? 'malformed');
};
