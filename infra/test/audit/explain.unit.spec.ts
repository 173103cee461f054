import { expect } from 'chai';
import { actions, explain } from '@roomwire/command-api/explain/explain';
import { pastRecords } from '@roomwire/command-api/explain/pastRecords';
import { Directory } from '@roomwire/gateway/access/directory';
import { resolveAccess } from '@roomwire/gateway/access/topicAccess';
import { standingOf } from '@roomwire/gateway/access/credentials';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { openAuditWorld, type AuditWorld } from './auditWorld.js';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { historyStart, seededHistory } from './seededHistory.js';

const seed = 4_711;
const { events } = seededHistory(seed, 700);

describe(`explanations over a seeded history (seed ${seed})`, function () {
  this.timeout(60_000);
  let world: AuditWorld;
  let logged: RecordedEvent[];
  const timeOf = ({ metadata }: Pick<RecordedEvent, 'metadata'>): number => Date.parse(metadata.occurredAt);
  const end = Math.max(...events.map(timeOf));

  before(async () => {
    world = await openAuditWorld(events);
    logged = [];
    for await (const batch of world.log.readAll()) logged.push(...batch);
  });
  after(() => world.close());

  const slugsOf = (type: string) =>
    events.filter((event) => event.type === type).map(({ data }) => data as any);
  const made = {
    actors: slugsOf('ActorCreated'),
    apps: slugsOf('AppCreated'),
    rooms: slugsOf('RoomCreated'),
  };

  /** The read models as they were then, for the gateway to read. */
  const viewsAt = (time: number): ViewStore => {
    const fold = world.createFold();
    for (const event of logged) if (timeOf(event) <= time) fold.apply(event);
    const store: Pick<ViewStore, 'get' | 'find'> = {
      get: async (view, id) => fold.get(view, id),
      find: async (view, { filter = {} }) => fold.find(view, filter),
    };
    return store as ViewStore;
  };

  it('say what the gateways would have decided, and name an event that existed at the time', async () => {
    const chance = seededChance(seed);
    const rules = new Map<string, number>();
    for (let n = 0; n < 400; n += 1) {
      const time = historyStart + chance.below(end - historyStart);
      const room = chance.oneOf(made.rooms);
      const app = made.apps.find(({ appId }) => appId === room.appId);
      const ofProject = made.actors.filter(({ projectId }) => projectId === room.projectId);
      const actor = chance.oneOf(ofProject.length > 0 ? ofProject : made.actors);
      const address = `${app.slug}/${room.slug}/${chance.below(10) === 0 ? 'news' : 'chat'}`;
      const organizationId = events.find(({ data }) => data === actor)?.metadata.organizationId ?? '';
      const { actorTokenId } = actor;

      const views = viewsAt(time);
      const clock = { now: () => time, monotonic: () => 0 };
      const standing = await standingOf(views, clock, await views.get('actors', actorTokenId));
      const access =
        typeof standing === 'string'
          ? undefined
          : await resolveAccess(
              new Directory(views),
              {
                ...standing.actor,
                ...{ organizationId, scope: null, accessScope: null, capabilities: undefined, version: 1 },
              },
              address,
            );
      for (const action of actions) {
        const records = pastRecords(world, organizationId, time);
        const found = await explain(records, { organizationId, actorTokenId, address, action, time });
        const isAllowed = (action === 'publish' ? access?.mayPublish : access?.maySubscribe) ?? false;
        expect(found.isAllowed, `${action} ${address} of ${actorTokenId} at ${time}: ${found.rule}`).to.equal(
          isAllowed,
        );
        if (found.event) expect(timeOf(found.event)).to.be.at.most(time);
        rules.set(found.rule, (rules.get(found.rule) ?? 0) + 1);
      }
    }
    expect([...rules.keys()]).to.include.members([
      ...['actor_missing', 'actor_disabled', 'room_missing', 'topic_not_exposed', 'open', 'grant'],
      ...['grant_missing', 'grant_inactive', 'grant_other_action', 'observer'],
    ]);
  });

  it('name the grant that decided, and who created it', async () => {
    const grant = events.find(
      ({ type, data }) =>
        type === 'RoomGrantAdded' && (data as any).actorTokenId !== null && (data as any).isActive,
    );
    const { roomId, actorTokenId, permission } = grant?.data as any;
    const room = made.rooms.find((each) => each.roomId === roomId);
    const app = made.apps.find(({ appId }) => appId === room.appId);
    const { organizationId = '', occurredAt = '' } = grant?.metadata ?? {};
    // At the moment at which the latest of all that it takes was there.
    const time = Math.max(
      ...events.slice(0, events.indexOf(grant as (typeof events)[number]) + 1).map(timeOf),
    );
    const action = permission === 'publish' ? 'publish' : 'subscribe';
    const address = `${app.slug}/${room.slug}/chat`;
    const found = await explain(pastRecords(world, organizationId, time), {
      ...{ organizationId, actorTokenId, address, action, time },
    });
    expect([found.rule, found.event?.id, found.event?.metadata.occurredAt]).to.eql([
      'grant',
      grant?.id,
      occurredAt,
    ]);
  });
});
