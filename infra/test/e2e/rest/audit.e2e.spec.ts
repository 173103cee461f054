import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { historyStart, seededHistory } from '../../audit/seededHistory.js';
import { plainFold } from '../../audit/plainFold.js';
import type { ApiClient } from '../../support/apiClient.js';
import { type PastEvent, withLog, writeHistory } from '../../support/eventLogAccess.js';
import { expectApplicationError, expectValidationError } from '../../support/shapes.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';
import { done, sessionOf, without } from './contract/world.js';

const seed = 20_261_208;
const { events, organizationIds } = seededHistory(seed, 600);
const [organizationId = '', otherId = ''] = organizationIds;
const timeOf = ({ metadata }: PastEvent): number => Date.parse(metadata.occurredAt);
const own = events.filter(({ metadata }) => metadata.organizationId === organizationId);
/** Of one millisecond, the later one in the log first. */
const newestFirst = [...own].reverse().sort((a, b) => timeOf(b) - timeOf(a));

describe(`the audit of an organization (seed ${seed})`, () => {
  let service: TestService;
  let member: ApiClient;

  before(async () => {
    service = await startTestService({ sessionSecret: new Uint8Array(32).fill(7) }, (config) =>
      withLog(config, (log) => writeHistory(log, events)),
    );
    member = service.client(await sessionOf(organizationId));
  });
  after(() => service.close());

  const path = (what = ''): string => `/organizations/${organizationId}/audit${what}`;

  /** Every page of a list, and how many there were. */
  const all = async (query: Record<string, string>) => {
    const data: any[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const search = new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) });
      const page: any = done(await member.get(path(`?${search.toString()}`)));
      data.push(...page.data);
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== null);
    return { data, pages };
  };

  it('lists every event of the organization once, newest first, on pages of any size', async () => {
    for (const limit of [6, 100]) {
      const { data, pages } = await all({ limit: String(limit) });
      expect(data.map(({ eventId }) => eventId)).to.eql(newestFirst.map(({ id }) => id));
      expect(pages).to.be.within(Math.ceil(own.length / limit), Math.ceil(own.length / limit) + 1);
    }
    const { data } = done(await member.get(path()));
    expect(data).to.have.length(50);
  });

  it('filters by project, record, type, principal and time, and by all of them together', async () => {
    const chance = seededChance(seed);
    let found = 0;
    for (let n = 0; n < 60; n += 1) {
      const example = chance.oneOf(own);
      const [from, to] = [timeOf(example) - chance.below(60_000), timeOf(example) + chance.below(60_000)];
      const wanted: [string, string | null, (event: PastEvent) => boolean][] = [
        [
          'projectId',
          example.metadata.projectId,
          ({ metadata }) => metadata.projectId === example.metadata.projectId,
        ],
        ['type', example.type, ({ type }) => type === example.type],
        [
          'principal',
          example.metadata.principal,
          ({ metadata }) => metadata.principal === example.metadata.principal,
        ],
        ['from', new Date(from).toISOString(), (event) => timeOf(event) >= from],
        ['to', new Date(to).toISOString(), (event) => timeOf(event) <= to],
      ];
      const filters = wanted.filter(([, value]) => value !== null && chance.below(3) === 0);
      const query = Object.fromEntries(filters.map(([name, value]) => [name, value ?? '']));
      const { data } = await all({ ...query, limit: '100' });
      const expected = newestFirst.filter((event) => filters.every(([, , fits]) => fits(event)));
      expect(
        data.map(({ eventId }) => eventId),
        JSON.stringify(query),
      ).to.eql(expected.map(({ id }) => id));
      found += data.length;
    }
    expect(found).to.be.greaterThan(500);
  });

  it('finds the changes of a record, and for a room and an actor their grants', async () => {
    const grants = own.filter(
      ({ type, data }) => type === 'RoomGrantAdded' && (data as any).actorTokenId !== null,
    );
    for (const { data: grant } of grants.slice(0, 5))
      for (const field of ['roomId', 'actorTokenId', 'appId', 'roomActorAccessId']) {
        const id: string = (grant as any)[field];
        const expected = newestFirst.filter(
          ({ type, data }) => (data as any)[field] === id && (field !== 'appId' || type.startsWith('App')),
        );
        const { data } = await all({ resourceId: id.toUpperCase() });
        expect(data.map(({ eventId }) => eventId)).to.eql(expected.map((event) => event.id));
      }
    expect(grants).to.have.length.greaterThan(4);
  });

  it('shows who did what, without hashes and sealed secrets', async () => {
    const event = own.find(({ type }) => type === 'ActorCreated') as PastEvent;
    const data = without('secretHash', event.data as object);
    const resourceId: string = data.actorTokenId;
    const { data: found } = await all({ resourceId, type: 'ActorCreated' });
    expect(found).to.eql([
      {
        ...{ eventId: event.id, type: event.type, occurredAt: event.metadata.occurredAt },
        principal: event.metadata.principal,
        requestId: event.metadata.requestId,
        projectId: event.metadata.projectId,
        resourceIds: [resourceId],
        data,
      },
    ]);
    const { data: everything } = await all({ limit: '100' });
    expect(JSON.stringify(everything)).to.not.match(/secretHash|sealedSecret|ciphertext/);
  });

  it('shows records at a past time, and what has changed since', async () => {
    const chance = seededChance(seed + 1);
    const end = timeOf(newestFirst[0] as PastEvent);
    for (let n = 0; n < 20; n += 1) {
      const at = historyStart + chance.below(end - historyStart);
      const records = plainFold(events.filter((event) => timeOf(event) <= at));
      const event = chance.oneOf(own.filter(({ type }) => /Updated$/.test(type)));
      const [resourceId = ''] = Object.values(event.data as object).filter((id) => plainFold(own).has(id));
      if (resourceId === '') continue;
      const time = new Date(at).toISOString();
      const state = done(await member.get(path(`/state?resourceId=${resourceId}&at=${time}`)));
      expect(state).to.include({ resourceId, at: time });
      expect(state.record).to.eql(records.get(resourceId)?.fields ?? null);
      expect(state.lastChange?.eventId).to.equal(records.get(resourceId)?.lastEventId);
    }
  });

  it('includes a change as soon as it is answered', async () => {
    const project: TestProject = await service.newProject();
    const audit = `/organizations/${project.organizationId}/audit`;
    const { appId } = done(await project.client.post('/apps', { name: 'App' }));
    const room = done(await project.client.post(`/apps/${appId}/rooms`, { name: 'Room', topics: ['a'] }));
    const { roomId, updatedAt } = room;
    // A state is that at the end of its millisecond.
    await eventually(() => Date.now() > Date.parse(updatedAt));
    const changed = done(
      await project.client.patch(`/apps/${appId}/rooms/${roomId}`, { name: 'Hall', topics: ['a', 'b'] }),
    );
    const { data } = done(await service.operator.get(`${audit}?limit=1`));
    expect(data[0]).to.deep.include({ type: 'RoomUpdated', resourceIds: [roomId] });
    const { differences } = done(
      await service.operator.get(`${audit}/diff?resourceId=${roomId}&from=${updatedAt}`),
    );
    const { eventId, type, occurredAt, principal, requestId } = data[0];
    const change = { eventId, type, occurredAt, principal, requestId };
    expect(principal).to.match(/^apiKey:ak_live_/);
    expect(differences).to.have.deep.members([
      { path: '/name', before: 'Room', after: 'Hall', change },
      { path: '/topics', before: ['a'], after: ['a', 'b'], change },
      { path: '/updatedAt', before: updatedAt, after: changed.updatedAt, change },
    ]);
    done(await project.client.delete(`/apps/${appId}`));
    const gone = done(await service.operator.get(`${audit}/state?resourceId=${roomId}`));
    expect(gone.record).to.equal(null);
    expect(gone.lastChange).to.include({ type: 'AppDeleted' });
  });

  it('refuses unknown records and invalid parameters', async () => {
    const foreign = events.find(
      ({ metadata, type }) => metadata.organizationId === otherId && type === 'AppCreated',
    );
    const appId: string = (foreign?.data as any).appId;
    const times = 'from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z';
    for (const what of [`/state?resourceId=${appId}`, `/diff?resourceId=${appId}&from=2026-01-01T00:00:00Z`])
      expectApplicationError(await member.get(path(what)), 404, `Resource ${appId} not found`);
    expectApplicationError(
      await member.get(path(`/diff?resourceId=${appId}&${times}`)),
      400,
      '`from` must not be after `to`',
    );
    expectValidationError(await member.get(path('/state')), 'resourceId');
    expectValidationError(await member.get(path('/state?resourceId=x&at=y')), 'resourceId', 'at');
    expectValidationError(await member.get(path(`/diff?resourceId=${appId}`)), 'from');
    for (const cursor of ['', 'x', '1.', '1.x', `${'9'.repeat(17)}.1`])
      expectValidationError(await member.get(path(`?cursor=${cursor}`)), 'cursor');
    expect(done(await member.get(path('?cursor=1.0'))).data).to.eql([]);
    expect(done(await member.get(path('?type=Nothing&principal=nobody')))).to.eql({
      data: [],
      nextCursor: null,
    });
  });
});
