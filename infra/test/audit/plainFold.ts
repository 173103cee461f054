import type { PastEvent } from '../support/eventLogAccess.js';

type Fields = Record<string, any>;

export interface PlainRecord {
  readonly fields: Fields;
  readonly lastEventId: string;
}

const idFields: Readonly<Record<string, string>> = {
  Organization: 'organizationId',
  Project: 'projectId',
  App: 'appId',
  Room: 'roomId',
  RoomGrant: 'roomActorAccessId',
  Actor: 'actorTokenId',
  Scope: 'accessScopeId',
  SigningKey: 'signingKeyId',
  ApiKey: 'apiKeyId',
  Blueprint: 'blueprintId',
};

const madeWith: Readonly<Record<string, Fields>> = {
  Organization: { status: 'active' },
  App: { status: 'active' },
  Room: { status: 'active' },
  Actor: { status: 'active' },
  Scope: { isActive: true },
  SigningKey: { status: 'active' },
  Blueprint: { versions: [] },
};

const secrets = ['secretHash', 'sealedSecret'];

/** What there is after some events, worked out as plainly as can be and with nothing of the service. */
export const plainFold = (events: readonly PastEvent[]): Map<string, PlainRecord> => {
  const records = new Map<string, PlainRecord>();
  for (const event of events) plainStep(records, event);
  return records;
};

/** Puts another record in the place of each that changes. */
export const plainStep = (records: Map<string, PlainRecord>, event: PastEvent): void => {
  const { id: lastEventId, type, data, metadata } = event;
  const [, noun = '', verb = ''] =
    /^(.+?)(Created|Registered|Added|Updated|Deleted|Revoked)$/.exec(type) ?? [];
  const fields = data as Fields;
  const id: string = fields[idFields[noun] ?? ''];
  const updatedAt = metadata.occurredAt;
  const before = records.get(id);
  if (['Created', 'Registered', 'Added'].includes(verb)) {
    const made = { ...fields, ...madeWith[noun], createdAt: updatedAt, updatedAt } as Fields;
    for (const secret of secrets) delete made[secret];
    records.set(id, { fields: made, lastEventId });
  } else if (verb !== 'Updated') {
    for (const [other, { fields: of }] of records) if (other === id || belongs(of, id)) records.delete(other);
  } else if (before) {
    records.set(id, { fields: { ...before.fields, ...fields['changes'], updatedAt }, lastEventId });
  }
};

const belongs = (fields: Fields, id: string): boolean =>
  ['projectId', 'appId', 'roomId'].some((name) => fields[name] === id);
