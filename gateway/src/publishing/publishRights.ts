import type { Clock } from '@roomwire/shared/ports/clock';
import { isCurrent, type Resolved, type TopicAccess } from '../access/topicAccess.js';

/**
 * Where an author may publish; undefined where it may not. Returns a promise only where the read models have to be queried; it rejects when they
 * fail.
 */
export type PublishRights = (address: string) => Resolved;

/** Each address is resolved once in a request, and again as soon as a domain event has changed what it names. */
export const publishRights = (
  clock: Pick<Clock, 'now'>,
  resolve: (address: string) => Resolved,
): PublishRights => {
  const known = new Map<string, TopicAccess>();

  const inForce = (access: TopicAccess | undefined): TopicAccess | undefined =>
    access?.mayPublish === true && access.until > clock.now() ? access : undefined;

  const keep = (address: string, access: TopicAccess | undefined): TopicAccess | undefined => {
    if (access !== undefined) known.set(address, access);
    return inForce(access);
  };

  return (address) => {
    const access = known.get(address);
    if (access !== undefined && isCurrent(access)) return inForce(access);
    const resolved = resolve(address);
    return resolved instanceof Promise
      ? resolved.then((found) => keep(address, found))
      : keep(address, resolved);
  };
};
