import { expect } from 'chai';
import type { RecordedEvent } from '../../src/domain/eventEnvelope.js';
import {
  currentData,
  readEvent,
  isReadable,
  schemaVersions,
  UnknownEvent,
  upcasters,
  type EventSchemas,
} from '../../src/domain/events.js';

const occurredAt = '2026-01-01T00:00:00.000Z';

const recorded = (type: string, schemaVersion: number, data: unknown): RecordedEvent => ({
  id: '6b1f2c6e-2a53-4f38-9d8e-0c8a5b1b7f10',
  type,
  schemaVersion,
  data,
  metadata: { occurredAt, organizationId: 'o', projectId: 'p', principal: 'system', requestId: 'r' },
  stream: 's',
  revision: 0,
  position: '1',
});

/** A type that has changed three times, and one that never has. */
const schemas: EventSchemas = {
  versions: { Moved: 4, Stood: 1 },
  upcasters: {
    Moved: {
      1: (data) => ({ ...(data as object), steps: ['1 to 2'] }),
      2: (data) => ({ steps: [...(data as { steps: string[] }).steps, '2 to 3'] }),
      3: (data) => ({ steps: [...(data as { steps: string[] }).steps, '3 to 4'] }),
    },
  },
};

describe('readEvent', () => {
  it('returns an event of the current version unchanged', () => {
    const data = { steps: [] };
    expect(currentData(recorded('Moved', 4, data), schemas)).to.equal(data);
    expect(currentData(recorded('Stood', 1, data), schemas)).to.equal(data);
  });

  it('upgrades an older event version by version, from any version', () => {
    const from = (version: number, data: unknown) => currentData(recorded('Moved', version, data), schemas);
    expect(from(1, { name: 'x' })).to.eql({ steps: ['1 to 2', '2 to 3', '3 to 4'] });
    expect(from(2, { steps: [] })).to.eql({ steps: ['2 to 3', '3 to 4'] });
    expect(from(3, { steps: [] })).to.eql({ steps: ['3 to 4'] });
  });

  it('leaves the stored event unchanged', () => {
    const event = recorded('Moved', 1, Object.freeze({ name: 'x' }));
    currentData(Object.freeze(event), schemas);
    expect(event).to.deep.include({ schemaVersion: 1, data: { name: 'x' } });
  });

  it('refuses a version newer than the current one, and an invalid one', () => {
    for (const version of [5, 99, 0, -1, 1.5, Number.NaN])
      expect(() => currentData(recorded('Moved', version, {}), schemas)).to.throw(
        UnknownEvent,
        `is a Moved of schema version ${version}, which is not known`,
      );
    expect(() => currentData(recorded('Stood', 2, {}), schemas)).to.throw(UnknownEvent);
    expect(() => readEvent(recorded('ActorCreated', schemaVersions.ActorCreated + 1, {}))).to.throw(
      UnknownEvent,
    );
  });

  it('refuses an unknown type', () => {
    for (const type of ['Unheard', '', 'constructor', 'toString', '__proto__'])
      expect(() => readEvent(recorded(type, 1, {}))).to.throw(UnknownEvent);
  });

  it('is foretold by the type and the schema version alone', () => {
    const readable = Object.entries(schemaVersions).flatMap(([type, current]) =>
      Array.from({ length: current }, (_, index) => ({ type, schemaVersion: index + 1 })),
    );
    for (const event of readable) expect(isReadable(event), event.type).to.equal(true);
    for (const [type, current] of Object.entries(schemaVersions))
      for (const schemaVersion of [current + 1, 0, -1, 0.5, Number.NaN])
        expect(isReadable({ type, schemaVersion }), type).to.equal(false);
    for (const type of ['Unheard', '', 'constructor', 'toString', '__proto__'])
      expect(isReadable({ type, schemaVersion: 1 })).to.equal(false);
  });

  it('reads an actor from before there were scopes', () => {
    const data = { actorTokenId: 'a', projectId: 'p', accessScopeId: null, name: 'Gauge' };
    expect(readEvent(recorded('ActorCreated', 1, data))).to.eql({
      type: 'ActorCreated',
      data: { ...data, scopeMembershipId: null },
      occurredAt,
    });
  });

  it('reads an API key from before there were rights', () => {
    const data = { apiKeyId: 'k', projectId: 'p', keyId: 'ak_live_1', name: 'K', expiresAt: null };
    expect(readEvent(recorded('ApiKeyCreated', 1, data))).to.eql({
      type: 'ApiKeyCreated',
      data: { ...data, permissions: null, allowedAddresses: null },
      occurredAt,
    });
  });

  it('reads signing keys from before there were external actors', () => {
    const data = { signingKeyId: 'k', projectId: 'p', keyId: 'sk_live_1', name: 'K' };
    expect(readEvent(recorded('SigningKeyCreated', 1, data))).to.deep.include({
      data: { ...data, allowExternalActors: false },
    });
    const change = { signingKeyId: 'k', changes: { status: 'disabled' } };
    expect(readEvent(recorded('SigningKeyUpdated', 1, change))).to.deep.include({ data: change });
  });

  it('reads a dead letter from before payloads were kept apart', () => {
    const fields = { dlqId: 'd', error: 'no', status: 'pending' };
    const payload = { requestHeaders: { 'X-Kind': 'chat' }, requestBody: { data: 1 } };
    expect(readEvent(recorded('DeadLetterRecorded', 1, { ...fields, ...payload }))).to.eql({
      type: 'DeadLetterRecorded',
      data: { ...fields, payload },
      occurredAt,
    });
  });

  it('reads the delivery of a redrive from before anybody waited for it', () => {
    expect(readEvent(recorded('DeadLetterDelivered', 1, { dlqId: 'd' })).data).to.eql({
      ...{ dlqId: 'd', redriveId: null, responseStatus: null },
    });
  });

  it('names the event that it refuses', () => {
    const event = recorded('Unheard', 1, {});
    const error = new UnknownEvent(event);
    expect(error).to.include({ name: 'UnknownEvent', event });
  });

  it('has an upgrade from every version that was ever written', () => {
    for (const [type, current] of Object.entries(schemaVersions)) {
      const ways = upcasters[type as keyof typeof upcasters] ?? {};
      const older = Array.from({ length: current - 1 }, (_, index) => `${index + 1}`);
      expect(Object.keys(ways), type).to.eql(older);
    }
  });
});
