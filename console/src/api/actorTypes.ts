export const actorTypes = [
  'user',
  'device',
  'service',
  'agent',
  'session',
  'orchestrator',
  'observer',
] as const;
export type ActorType = (typeof actorTypes)[number];

export const actorTypeChoices = actorTypes.map((id) => ({ id, title: id }));
