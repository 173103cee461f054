import fc from 'fast-check';
import type { ActorType } from '@roomwire/shared/domain/actor';
import type { BlueprintDefinition } from '@roomwire/shared/domain/blueprint';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { RoomFields, RoomOrigin } from '@roomwire/shared/domain/room';
import { appsDecider, type AppCommand } from '../../src/apps/decider.js';
import { blueprintDecider, type BlueprintCommand } from '../../src/blueprints/decider.js';
import type { Decider } from '../../src/handling/writeModel.js';
import { roomsDecider, type RoomCommand } from '../../src/rooms/decider.js';
import { scopesDecider, type ScopeCommand } from '../../src/scopes/decider.js';

const one = <T extends string>(...values: readonly T[]) => fc.constantFrom(...values);

const appId = one('a1', 'a2', 'a3');
const apps: fc.Arbitrary<AppCommand> = fc.oneof(
  fc.record({ appId, slug: one('one', 'two', 'three') }).map(({ slug, ...fields }) => ({
    type: 'CreateApp' as const,
    ...{ slugs: [slug], maxApps: null },
    app: {
      ...{
        ...fields,
        projectId: 'p',
        name: slug,
        description: null,
        blueprintId: null,
        blueprintVersion: null,
      },
      ...{
        pinnedBlueprintVersion: false,
        config: { lobbies: [{ slug: 'l', rooms: ['r-*'] }] },
        topics: ['t'],
      },
      ...{ topicConfigs: {}, hydrationWebhook: null, triggerWebhook: { url: 'https://example.com' } },
      ...{ dependencies: null, files: null, framework: null },
    },
  })),
  fc
    .record({ appId, changes: fc.record({ slug: one('one', 'two', 'four') }) })
    .map((fields) => ({ type: 'UpdateApp' as const, projectId: 'p', ...fields })),
  appId.map((id) => ({ type: 'DeleteApp' as const, appId: id, projectId: 'p' })),
);

// What has an id is the same whenever it is made: in a history no two things have one id.
const roomId = one('r-one', 'r-two', 'r-three', 'static-one', 'static-five');
const inApp = { appId: 'a', projectId: 'p' };
const room = (id: string, slug: string, origin: RoomOrigin): RoomFields => ({
  ...{ roomId: id, ...inApp, name: slug, slug, description: null, topics: ['t'] },
  ...{ metadata: { nested: { of: slug } }, origin },
});
const slug = one('one', 'two', 'three');
const holder = one<ActorType>('user', 'agent', 'device');
const rooms: fc.Arbitrary<RoomCommand> = fc.oneof(
  slug.map((its) => ({ type: 'CreateRoom' as const, room: room(`r-${its}`, its, 'api') })),
  slug.map((its) => ({ type: 'EnsureRoom' as const, room: room(`r-${its}`, its, 'ensure') })),
  fc
    .tuple(roomId, one('x', 'y'))
    .map(([id, name]) => ({ type: 'UpdateRoom' as const, appId: 'a', roomId: id, changes: { name } })),
  roomId.map((id) => ({ type: 'DeleteRoom' as const, appId: 'a', roomId: id })),
  fc.subarray(['one', 'two', 'five']).map((slugs) => ({
    type: 'PlaceStaticRooms' as const,
    appId: 'a',
    rooms: slugs.map((each) => room(`static-${each}`, each, 'blueprint')),
  })),
  fc.tuple(roomId, holder).map(([id, actorType]) => ({
    type: 'GrantAccess' as const,
    grant: {
      ...{ roomActorAccessId: `${id}-${actorType}`, ...inApp, roomId: id, actorTokenId: null, actorType },
      ...{ permission: 'pubSub' as const, topics: ['t'], expiresAt: null, isActive: true, role: null },
      metadata: null,
    },
  })),
  fc.tuple(roomId, holder).map(([id, actorType]) => ({
    type: 'RevokeAccess' as const,
    ...{ appId: 'a', roomId: id, roomActorAccessId: `${id}-${actorType}` },
  })),
);

const accessScopeId = one('s-aa', 's-bb', 's-cc');
const membership = fc.record({
  membershipId: one('m1', 'm2', 'm3'),
  accessScopeId,
  actorTokenId: one('x', 'y'),
});
const scopes: fc.Arbitrary<ScopeCommand> = fc.oneof(
  one('aa', 'bb', 'cc').map((its) => ({
    type: 'CreateScope' as const,
    scope: {
      ...{ accessScopeId: `s-${its}`, slug: its, projectId: 'p', name: 'S', description: null },
      metadata: { a: [1, { b: null }] },
    },
  })),
  fc
    .record({ accessScopeId, changes: fc.record({ isActive: fc.boolean() }) })
    .map((fields) => ({ type: 'UpdateScope' as const, ...fields })),
  accessScopeId.map((id) => ({ type: 'DeleteScope' as const, accessScopeId: id })),
  membership.map((each) => ({ type: 'TakeMembership' as const, membership: each })),
  membership.map((each) => ({ type: 'ReleaseMembership' as const, membership: each })),
);

const definition = (topic: string): BlueprintDefinition => ({
  ...{ topics: [topic], topicConfigs: {}, config: {}, hydrationWebhook: null, triggerWebhook: null },
  ...{ rooms: [], dependencies: null, files: null, framework: null },
});
const ofBlueprint = { blueprintId: 'b', organizationId: 'o' };
const version = one('1.0.0', '1.1.0', '2.0.0');
const blueprints: fc.Arbitrary<BlueprintCommand> = fc.oneof(
  version.map((its) => ({
    type: 'RegisterBlueprint' as const,
    ...{ blueprint: { ...ofBlueprint, name: 'B' }, version: its, definition: definition(its) },
  })),
  version.map((its) => ({
    type: 'AddBlueprintVersion' as const,
    ...{ ...ofBlueprint, version: its, definition: definition(its) },
  })),
);

/** A decider whose state has collections, and commands of which many are refused. */
export interface Kind {
  readonly name: string;
  readonly decider: Decider<unknown, unknown, DomainEvent>;
  readonly commands: fc.Arbitrary<readonly unknown[]>;
}

const kind = <State, Command, Event extends DomainEvent>(
  name: string,
  decider: Decider<State, Command, Event>,
  command: fc.Arbitrary<Command>,
): Kind => ({
  name,
  decider: decider as unknown as Kind['decider'],
  commands: fc.array(command, { maxLength: 40 }),
});

export const kinds: readonly Kind[] = [
  kind('the apps of a project', appsDecider, apps),
  kind('the rooms of an app', roomsDecider, rooms),
  kind('the scopes of a project', scopesDecider, scopes),
  kind('a blueprint', blueprintDecider, blueprints),
];
