import type { StandingRule } from '@roomwire/shared/domain/actors/standing';
import type { AdmissionRule } from '@roomwire/shared/domain/rooms/admission';

/** The rules of admission, and those that stand before and behind them. */
export type ExplainedRule =
  | StandingRule
  | AdmissionRule
  | 'address_invalid'
  | 'app_missing'
  | 'room_missing'
  | 'grant_expired'
  | 'grant_other_action'
  | 'observer';

/** Each in words. */
export const ruleTexts: { readonly [R in ExplainedRule]: string } = {
  actor_missing: 'The actor was not there',
  actor_disabled: 'The actor was disabled',
  actor_expired: 'The actor had expired',
  project_missing: 'The project of the actor was not there',
  organization_suspended: 'The organization was suspended',
  scope_inactive: 'The access scope of the actor was inactive, or not there',
  address_invalid: 'The address is none: `app-slug/room-slug/topic-name`',
  app_missing: 'The project had no app of that slug',
  app_inactive: 'The app was not active',
  room_missing: 'The app had no room of that slug',
  room_inactive: 'The room was not active',
  topic_not_exposed: 'The topic was not both on the app and on the room',
  access_mode_private: 'The app was private and the room had no grants',
  grant_missing: 'The room had grants, and none for the actor or its type',
  grant_inactive: 'The grant of the actor, or of its type, was not active',
  grant_other_topics: 'The grant was for other topics',
  grant_expired: 'The grant had expired',
  grant_other_action: 'The grant was for the other action',
  observer: 'An observer publishes nothing',
  grant: 'The grant allowed it',
  open: 'The room was open: it had no grants',
};
