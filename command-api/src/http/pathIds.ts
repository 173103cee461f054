import { Refusal } from '../handling/refusal.js';
import { applicationError } from './errorAnswer.js';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const actorKeyIdPattern = /^at_[A-Za-z0-9_]{1,100}$/;

export const isUuid = (text: string): boolean => uuidPattern.test(text);

export const invalidIdMessage = (name: string): string => `Invalid ${name} UUID format`;

/** Checks the `...Id` parameters of a path before anything is looked up. UUIDs are compared in lower case. */
export const checkPathIds = (
  path: Readonly<Record<string, string>>,
  at: { id: string; now: string },
): Record<string, string> => {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(path)) {
    if (isUuid(value)) checked[name] = value.toLowerCase();
    else if (name !== 'actorId') throw applicationError(400, invalidIdMessage(name), at);
    else if (actorKeyIdPattern.test(value)) checked[name] = value;
    else throw new Refusal('actor_id_invalid', {});
  }
  return checked;
};
