import { assuming, type RoomRights } from '@roomwire/shared/domain/assumedRights';
import { parseTopicAddress, type TopicAddress } from '@roomwire/shared/domain/topic';
import type { Clock } from '@roomwire/shared/ports/clock';
import { mergedImpact, type Impact, type ImpactQuery } from '@roomwire/shared/ports/impact';
import { workSlices } from '@roomwire/shared/runtime/workSlices';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { Identity } from '../access/client.js';
import type { RoomLocation } from '../access/directory.js';
import { rightsIn, type TopicAccess } from '../access/topicAccess.js';
import { FoundCutOffs } from './foundCutOffs.js';
import type { Roster } from './roster.js';

export interface ImpactDeps {
  readonly roster: Pick<Roster, 'ofProject'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Whose subscriptions on this gateway would end, judged by the rules by which they began. Nothing is changed. */
export const localImpact = async (
  { roster, clock }: ImpactDeps,
  { projectId, events }: ImpactQuery,
): Promise<Impact> => {
  const appIds = new Set(events.map(({ data }) => data.appId));
  const assumed = new AssumedRooms(events);
  const found = new FoundCutOffs();
  const slices = workSlices();
  for (const { identity, subscriptions } of roster.ofProject(projectId)) {
    if (slices.isOver()) await slices.next();
    // Whoever watches from the console is no client.
    if (identity.observes) continue;
    for (const [address, { access }] of subscriptions.entries) {
      if (!appIds.has(access.location.app.value.appId)) continue;
      const rule = lostBy({ identity, address, access }, assumed.at(access.location), clock.now());
      if (rule === undefined) continue;
      found.add({ address, rule, actorTokenId: identity.actorTokenId, scope: access.scope });
    }
  }
  return mergedImpact([found.impact], limitTable.impactOfGateway.value);
};

/** What would be in each room: many are subscribed to the same. */
class AssumedRooms {
  private readonly events: ImpactQuery['events'];
  private readonly known = new Map<RoomLocation['room'], RoomRights>();

  constructor(events: ImpactQuery['events']) {
    this.events = events;
  }

  at({ app, room }: RoomLocation): RoomRights {
    const known = this.known.get(room);
    if (known !== undefined) return known;
    const now = { app: app.value, room: room.value, grants: room.value.grants };
    const then = assuming(now, this.events);
    this.known.set(room, then);
    return then;
  }
}

interface Held {
  readonly identity: Identity;
  readonly address: string;
  readonly access: TopicAccess;
}

/** By which rule a subscription would end; undefined for one that would not. */
const lostBy = (
  { identity, address, access }: Held,
  { app, room, grants }: RoomRights,
  now: number,
): string | undefined => {
  const parts = parseTopicAddress(address) as TopicAddress;
  if (app?.slug !== parts.app) return 'app_missing';
  if (room === undefined) return 'room_missing';
  const { maySubscribe, until, rule } = rightsIn(identity, app, { ...room, grants }, parts);
  if (!maySubscribe) return rule;
  // One that has expired ends by itself.
  return until <= now && access.until > now ? 'grant_expired' : undefined;
};
