import { parseTopicAddress } from '@roomwire/shared/domain/topic';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { EndedReason } from '@roomwire/shared/wire/protocol/serverFrames';
import type { SubscribeRule } from '../access/subscribeRule.js';
import type { TopicAccess } from '../access/topicAccess.js';

interface LostRights {
  readonly address: string;
  /** On which the subscription has rested. */
  readonly former: Pick<TopicAccess, 'rule' | 'location'>;
  /** That refuses it now. */
  readonly rule: SubscribeRule;
}

const reasons: { readonly [R in SubscribeRule]?: EndedReason } = {
  app_inactive: 'app_disabled',
  room_inactive: 'room_disabled',
  topic_not_exposed: 'topic_removed',
  grant_inactive: 'grant_revoked',
  grant_expired: 'grant_expired',
  capability: 'capability',
};

/** No grant that there is admits it. */
const withoutGrant: ReadonlySet<SubscribeRule> = new Set<SubscribeRule>([
  ...(['access_mode_private', 'grant_missing', 'grant_other_topics', 'grant_other_action'] as const),
]);

/**
 * [WS-NOTICE-2] Undefined where it has its rights again. Reads only where the address names nothing any more, and rejects when the read models
 * fail.
 */
export const endedReason = async (
  views: Pick<ViewReader, 'get'>,
  lost: LostRights,
): Promise<EndedReason | undefined> => {
  const { rule, former } = lost;
  if (withoutGrant.has(rule)) return former.rule === 'grant' ? 'grant_revoked' : 'grant_required';
  return rule === 'app_missing' || rule === 'room_missing' ? missing(views, lost) : reasons[rule];
};

/** Whether what the address has named is gone, or has another one. */
const missing = async (
  views: Pick<ViewReader, 'get'>,
  { address, former: { location } }: LostRights,
): Promise<EndedReason | undefined> => {
  const parts = parseTopicAddress(address);
  const app = await views.get('apps', location.app.value.appId);
  if (app === undefined) return 'app_deleted';
  if (app.slug !== parts?.app) return 'address_changed';
  const room = await views.get('rooms', location.room.value.roomId);
  if (room === undefined) return 'room_deleted';
  return room.slug === parts.room ? undefined : 'address_changed';
};
