import type { TopicAddress } from './topic.js';

/** What a client token may allow. `history` counts only with `subscribe`. */
export const capabilityRights = ['subscribe', 'publish', 'presence', 'history'] as const;
export type CapabilityRight = (typeof capabilityRights)[number];

/** Of one token. */
export const maxCapabilityPatterns = 100;

/** What a pattern says of one segment of an address: it is this text, or begins with it. */
interface Segment {
  readonly text: string;
  readonly isPrefix: boolean;
}

interface Capability {
  readonly app: Segment;
  readonly room: Segment;
  readonly topic: Segment;
  readonly rights: ReadonlySet<CapabilityRight>;
}

/**
 * The most that a client token lets its actor do, wherever its rights would let it do more. Made once for a token, and asked only when
 * an address is resolved.
 */
export class Capabilities {
  private readonly all: readonly Capability[];
  private readonly present: readonly Capability[];

  private constructor(all: readonly Capability[]) {
    this.all = all;
    this.present = all.filter(({ rights }) => rights.has('presence'));
  }

  /** `claim`: rights by pattern. Undefined where it is malformed. */
  static parse(claim: unknown): Capabilities | undefined {
    if (typeof claim !== 'object' || claim === null || Array.isArray(claim)) return undefined;
    const entries = Object.entries(claim);
    if (entries.length > maxCapabilityPatterns) return undefined;
    const all = entries.map(([pattern, rights]) => capabilityOf(pattern, rights));
    return all.every((one) => one !== undefined) ? new Capabilities(all) : undefined;
  }

  /** All that one of its patterns allows there. */
  at(address: TopicAddress): ReadonlySet<CapabilityRight> {
    const allowed = new Set<CapabilityRight>();
    for (const { app, room, topic, rights } of this.all)
      if (isIn(app, address.app) && isIn(room, address.room) && isIn(topic, address.topic))
        for (const right of rights) allowed.add(right);
    return allowed;
  }

  /** Whether an actor may be present in a room, and see who is. */
  allowPresence(appSlug: string, roomSlug: string): boolean {
    return this.present.some(({ app, room }) => isIn(app, appSlug) && isIn(room, roomSlug));
  }

  /** The rooms that patterns with `presence` name in full. */
  roomsNamed(appSlug: string): readonly string[] {
    const naming = this.present.filter(({ app, room }) => isIn(app, appSlug) && !room.isPrefix);
    return [...new Set(naming.map(({ room }) => room.text))];
  }
}

const isIn = ({ text, isPrefix }: Segment, value: string): boolean =>
  isPrefix ? value.startsWith(text) : value === text;

const capabilityOf = (pattern: string, rights: unknown): Capability | undefined => {
  const [app, room, topic, ...rest] = pattern.split('/').map(segmentOf);
  if (app === undefined || room === undefined || topic === undefined || rest.length > 0) return undefined;
  return areRights(rights) ? { app, room, topic, rights: new Set(rights) } : undefined;
};

const segmentOf = (segment: string): Segment | undefined => {
  const isPrefix = segment.endsWith('*');
  const text = isPrefix ? segment.slice(0, -1) : segment;
  return segment === '' || text.includes('*') ? undefined : { text, isPrefix };
};

const areRights = (rights: unknown): rights is readonly CapabilityRight[] =>
  Array.isArray(rights) && rights.every((right) => capabilityRights.includes(right as CapabilityRight));
