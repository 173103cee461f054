import { schemaVersions, type DomainEvent } from '@roomwire/shared/domain/events';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import type { PastEvent } from '../support/eventLogAccess.js';
import { seededChance } from '@roomwire/testing/run/seededChance';

type Kind = 'project' | 'app' | 'room' | 'grant' | 'actor' | 'scope' | 'signingKey' | 'apiKey' | 'blueprint';

interface Thing {
  readonly kind: Kind;
  readonly id: string;
  readonly projectId: string;
  readonly organizationId: string;
  /** The app of a room, the room of a grant. */
  readonly parentId?: string;
  readonly appId?: string;
}

export interface SeededHistory {
  readonly events: readonly PastEvent[];
  readonly organizationIds: readonly string[];
}

export const historyStart = Date.parse('2026-01-01T00:00:00.000Z');

/**
 * A history that makes sense, of two organizations: of everything something is made, changed and removed, with what
 * goes along. Several events share a millisecond, and often a clock is behind.
 */
export const seededHistory = (seed: number, length: number): SeededHistory => {
  const chance = seededChance(seed);
  const events: PastEvent[] = [];
  let things: Thing[] = [];
  let time = historyStart;
  const organizationIds = [chance.uuid(), chance.uuid()];

  const add = (
    stream: string,
    event: DomainEvent,
    organizationId: string,
    projectId: string | null,
  ): void => {
    time += chance.below(3) * chance.below(2_000);
    const skew = chance.below(5) === 0 ? chance.below(60_000) : 0;
    events.push({
      id: chance.uuid(),
      stream,
      schemaVersion: schemaVersions[event.type],
      ...event,
      metadata: {
        occurredAt: new Date(Math.max(historyStart, time - skew)).toISOString(),
        ...{ organizationId, projectId },
        principal: chance.oneOf(['session:ada', 'session:bob', 'apiKey:ak_live_1']),
        requestId: chance.uuid(),
      },
    });
  };
  const living = (kind: Kind): Thing[] => things.filter((thing) => thing.kind === kind);
  const keep = (thing: Thing): Thing => {
    things.push(thing);
    return thing;
  };
  const name = (): string => `name-${chance.below(1_000)}`;

  const newProject = (): void => {
    const organizationId = chance.oneOf(organizationIds);
    const id = chance.uuid();
    keep({ kind: 'project', id, projectId: id, organizationId });
    add(
      `project-${id}`,
      { type: 'ProjectCreated', data: { projectId: id, organizationId, name: name() } },
      organizationId,
      id,
    );
  };

  const inProject = (make: (project: Thing, id: string) => [Kind, string, DomainEvent]): void => {
    const projects = living('project');
    if (projects.length === 0) return newProject();
    const project = chance.oneOf(projects);
    const { organizationId, projectId } = project;
    const id = chance.uuid();
    const [kind, stream, event] = make(project, id);
    keep({ kind, id, projectId, organizationId });
    add(stream, event, organizationId, projectId);
  };

  const newApp = (): void =>
    inProject(({ projectId }, appId) => [
      'app',
      `apps-${projectId}`,
      {
        type: 'AppCreated',
        data: {
          ...{ appId, projectId, name: name(), slug: `app-${chance.below(5)}-${appId.slice(0, 4)}` },
          ...{ description: null, blueprintId: null, blueprintVersion: null, pinnedBlueprintVersion: false },
          ...{ config: {}, topics: ['chat', 'news'], topicConfigs: {}, hydrationWebhook: null },
          ...{ triggerWebhook: null, dependencies: null, files: null, framework: null },
        },
      },
    ]);

  const newRoom = (): void => {
    const apps = living('app');
    if (apps.length === 0) return newApp();
    const { id: appId, projectId, organizationId } = chance.oneOf(apps);
    const roomId = chance.uuid();
    keep({ kind: 'room', id: roomId, projectId, organizationId, parentId: appId, appId });
    const data = {
      ...{ roomId, appId, projectId, name: name(), slug: `room-${roomId.slice(0, 4)}`, description: null },
      ...{ topics: ['chat'], metadata: { n: chance.below(9) }, origin: 'api' as const },
    };
    add(`rooms-${appId}`, { type: 'RoomCreated', data }, organizationId, projectId);
  };

  const newGrant = (): void => {
    const [rooms, actors] = [living('room'), living('actor')];
    if (rooms.length === 0) return newRoom();
    const { id: roomId, appId = '', projectId, organizationId } = chance.oneOf(rooms);
    const ofProject = actors.filter((actor) => actor.projectId === projectId);
    const holder = ofProject.length > 0 && chance.below(2) === 0 ? chance.oneOf(ofProject).id : null;
    const id = chance.uuid();
    keep({ kind: 'grant', id, projectId, organizationId, parentId: roomId, appId });
    const data = {
      ...{ roomActorAccessId: id, appId, roomId, projectId, actorTokenId: holder },
      ...{ actorType: holder === null ? ('user' as const) : null, isActive: chance.below(4) > 0 },
      permission: chance.oneOf(['subscribe', 'publish', 'pubSub'] as const),
      ...{ topics: null, expiresAt: null, role: null, metadata: null },
    };
    add(`rooms-${appId}`, { type: 'RoomGrantAdded', data }, organizationId, projectId);
  };

  const newActor = (): void =>
    inProject(({ projectId }, actorTokenId) => [
      'actor',
      `actor-${actorTokenId}`,
      {
        type: 'ActorCreated',
        data: {
          ...{ actorTokenId, projectId, accessScopeId: null, scopeMembershipId: null, name: name() },
          ...{ keyId: `at_live_${actorTokenId.slice(0, 8)}`, expiresAt: null, metadata: { a: { b: 1 } } },
          actorType: chance.oneOf(['user', 'device', 'observer'] as const),
          secretHash: 'ab'.repeat(32),
        },
      },
    ]);

  const newScope = (): void =>
    inProject(({ projectId }, accessScopeId) => [
      'scope',
      `scopes-${projectId}`,
      {
        type: 'ScopeCreated',
        data: {
          ...{ accessScopeId, projectId, slug: `s-${accessScopeId.slice(0, 4)}`, name: name() },
          ...{ description: null, metadata: null },
        },
      },
    ]);

  const newSigningKey = (): void =>
    inProject(({ projectId }, signingKeyId) => [
      'signingKey',
      `signingKey-${signingKeyId}`,
      {
        type: 'SigningKeyCreated',
        data: {
          ...{ signingKeyId, projectId, keyId: `sk_live_${signingKeyId.slice(0, 8)}`, name: name() },
          allowExternalActors: false,
          sealedSecret: { masterKeyId: 'm', iv: 'i', ciphertext: 'c', tag: 't' },
        },
      },
    ]);

  const newApiKey = (): void =>
    inProject(({ projectId, organizationId }, apiKeyId) => [
      'apiKey',
      `apiKey-${apiKeyId}`,
      {
        type: 'ApiKeyCreated',
        data: {
          ...{ apiKeyId, organizationId, projectId, keyId: `ak_live_${apiKeyId.slice(0, 8)}` },
          ...{ name: name(), expiresAt: null, permissions: null, allowedAddresses: null },
          secretHash: 'cd'.repeat(32),
        },
      },
    ]);

  const newBlueprint = (): void => {
    const organizationId = chance.oneOf(organizationIds);
    const id = chance.uuid();
    keep({ kind: 'blueprint', id, projectId: '', organizationId });
    const data = { blueprintId: id, organizationId, name: name() };
    add(`blueprint-${id}`, { type: 'BlueprintRegistered', data }, organizationId, null);
  };

  const change = (): void => {
    const changeable = things.filter(({ kind }) => changed[kind] !== undefined);
    if (changeable.length === 0) return newProject();
    const thing = chance.oneOf(changeable);
    const [stream, event] = (changed[thing.kind] as Changes)(thing, name());
    add(stream, event, thing.organizationId, thing.projectId);
  };

  const remove = (): void => {
    const removable = things.filter(
      ({ kind }) => removed[kind] !== undefined && (kind !== 'project' || chance.below(10) === 0),
    );
    if (removable.length === 0) return newProject();
    const thing = chance.oneOf(removable);
    const [stream, event] = (removed[thing.kind] as Removal)(thing);
    add(stream, event, thing.organizationId, thing.projectId);
    things = things.filter(
      ({ id, parentId, appId, projectId }) => ![id, parentId, appId, projectId].includes(thing.id),
    );
  };

  for (const organizationId of organizationIds)
    add(
      `organization-${organizationId}`,
      { type: 'OrganizationCreated', data: { organizationId, name: name(), plan: unlimitedPlan } },
      organizationId,
      null,
    );
  const makers = [newApp, newRoom, newRoom, newGrant, newGrant, newActor, newActor, newScope, newSigningKey];
  const steps = [
    ...makers,
    newApiKey,
    newBlueprint,
    newProject,
    ...Array<() => void>(9).fill(change),
    remove,
  ];
  while (events.length < length) chance.oneOf(steps)();
  return { events, organizationIds };
};

type Changes = (thing: Thing, name: string) => [stream: string, event: DomainEvent];
type Removal = (thing: Thing) => [stream: string, event: DomainEvent];

const changed: { readonly [K in Kind]?: Changes } = {
  project: ({ id }, name) => [
    `project-${id}`,
    { type: 'ProjectUpdated', data: { projectId: id, changes: { name } } },
  ],
  app: ({ id, projectId }, name) => [
    `apps-${projectId}`,
    {
      type: 'AppUpdated',
      data: { appId: id, changes: { name, config: { tags: { [name]: 1 }, kept: true } } },
    },
  ],
  room: ({ id, appId = '' }, name) => [
    `rooms-${appId}`,
    { type: 'RoomUpdated', data: { appId, roomId: id, changes: { name, metadata: { name } } } },
  ],
  actor: ({ id }, name) => [
    `actor-${id}`,
    {
      type: 'ActorUpdated',
      data: {
        actorTokenId: id,
        changes: {
          metadata: { a: { b: name.length, name } },
          status: name.length > 7 ? 'active' : 'disabled',
        },
      },
    },
  ],
  scope: ({ id, projectId }, name) => [
    `scopes-${projectId}`,
    { type: 'ScopeUpdated', data: { accessScopeId: id, changes: { name, isActive: name.length > 7 } } },
  ],
  signingKey: ({ id }, name) => [
    `signingKey-${id}`,
    { type: 'SigningKeyUpdated', data: { signingKeyId: id, changes: { name } } },
  ],
};

const removed: { readonly [K in Kind]?: Removal } = {
  project: ({ id }) => [`project-${id}`, { type: 'ProjectDeleted', data: { projectId: id } }],
  app: ({ id, projectId }) => [`apps-${projectId}`, { type: 'AppDeleted', data: { appId: id } }],
  room: ({ id, appId = '' }) => [`rooms-${appId}`, { type: 'RoomDeleted', data: { appId, roomId: id } }],
  grant: ({ id, parentId = '', appId = '' }) => [
    `rooms-${appId}`,
    { type: 'RoomGrantRevoked', data: { appId, roomId: parentId, roomActorAccessId: id } },
  ],
  actor: ({ id }) => [`actor-${id}`, { type: 'ActorDeleted', data: { actorTokenId: id } }],
  scope: ({ id, projectId }) => [
    `scopes-${projectId}`,
    { type: 'ScopeDeleted', data: { accessScopeId: id } },
  ],
  signingKey: ({ id }) => [`signingKey-${id}`, { type: 'SigningKeyDeleted', data: { signingKeyId: id } }],
  apiKey: ({ id }) => [`apiKey-${id}`, { type: 'ApiKeyRevoked', data: { apiKeyId: id } }],
};
