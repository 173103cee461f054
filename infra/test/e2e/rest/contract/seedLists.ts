import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import { apiKeyStream, type ApiKeyFields } from '@roomwire/shared/domain/apiKey';
import { appsStream, type AppFields } from '@roomwire/shared/domain/app';
import { schemaVersions, type DomainEvent } from '@roomwire/shared/domain/events';
import { organizationStream, unlimitedPlan } from '@roomwire/shared/domain/organization';
import { projectStream } from '@roomwire/shared/domain/project';
import { scopesStream, type ScopeFields } from '@roomwire/shared/domain/scope';
import { signingKeyStream, type SigningKeyFields } from '@roomwire/shared/domain/signingKey';
import type { PastEvent } from '../../../support/eventLogAccess.js';

export interface SeededLists {
  readonly apiKey: string;
  readonly events: readonly PastEvent[];
  /** The identifiers of each list's records, in the order of their creation. */
  readonly created: Readonly<Record<'apps' | 'scopes' | 'signing-keys', readonly string[]>>;
}

/** Names that are easily confused, and whose order depends on the comparison. */
const names = [
  'a',
  'A',
  'b',
  'B',
  'a-b',
  'a.b',
  'a*',
  'ä',
  'ß',
  '10',
  '9',
  '中',
  '｡',
  '😀',
  '(',
  '\\',
  'b a',
];

const record = fc.record({
  name: fc.constantFrom(...names),
  createdAt: fc.integer({ min: 0, max: 7 }),
  changed: fc.option(fc.integer({ min: 10, max: 13 })),
});

/** Few times for many records, so that there are ties. */
const timeOf = (tick: number): string => new Date(Date.UTC(2026, 0, 1) + tick).toISOString();

/** The log of a project with random apps, scopes and signing keys. */
export const seedLists = (seed: number, count: number): SeededLists => {
  const [organizationId, projectId, apiKeyId] = [randomUUID(), randomUUID(), randomUUID()];
  const events: PastEvent[] = [];
  const add = (stream: string, tick: number, { type, data }: DomainEvent): void => {
    const metadata = {
      occurredAt: timeOf(tick),
      organizationId,
      projectId,
      principal: 'system',
      requestId: randomUUID(),
    };
    events.push({ id: randomUUID(), stream, type, schemaVersion: schemaVersions[type], data, metadata });
  };

  const { keyId, token, secretHash } = mintToken(systemRandom, 'ak_live');
  const key: ApiKeyFields = {
    ...{
      apiKeyId,
      organizationId,
      projectId,
      keyId,
      name: 'K',
      expiresAt: null,
      permissions: null,
      allowedAddresses: null,
      secretHash,
    },
  };
  add(organizationStream(organizationId), 0, {
    type: 'OrganizationCreated',
    data: { organizationId, name: 'O', plan: unlimitedPlan },
  });
  add(projectStream(projectId), 0, {
    type: 'ProjectCreated',
    data: { projectId, organizationId, name: 'P' },
  });
  add(apiKeyStream(apiKeyId), 0, { type: 'ApiKeyCreated', data: key });

  const created = { apps: [] as string[], scopes: [] as string[], 'signing-keys': [] as string[] };
  for (const [index, { name, createdAt, changed }] of fc.sample(record, { seed, numRuns: count }).entries()) {
    const [app, scope, signingKey] = [
      newApp(projectId, name, index),
      newScope(projectId, name, index),
      newSigningKey(projectId, name),
    ];
    created.apps.push(app.appId);
    created.scopes.push(scope.accessScopeId);
    created['signing-keys'].push(signingKey.signingKeyId);
    add(appsStream(projectId), createdAt, { type: 'AppCreated', data: app });
    add(scopesStream(projectId), createdAt, { type: 'ScopeCreated', data: scope });
    add(signingKeyStream(signingKey.signingKeyId), createdAt, {
      type: 'SigningKeyCreated',
      data: signingKey,
    });
    if (changed === null) continue;
    const { appId } = app;
    const { accessScopeId } = scope;
    const { signingKeyId } = signingKey;
    const changes = { status: 'disabled' } as const;
    add(appsStream(projectId), changed, { type: 'AppUpdated', data: { appId, changes } });
    add(scopesStream(projectId), changed, {
      type: 'ScopeUpdated',
      data: { accessScopeId, changes: { isActive: false } },
    });
    add(signingKeyStream(signingKeyId), changed, {
      type: 'SigningKeyUpdated',
      data: { signingKeyId, changes },
    });
  }
  return { apiKey: token, events, created };
};

const newApp = (projectId: string, name: string, index: number): AppFields => ({
  appId: randomUUID(),
  projectId,
  name,
  slug: `app-${(index * 37) % 127}`,
  description: null,
  blueprintId: null,
  blueprintVersion: null,
  pinnedBlueprintVersion: false,
  config: {},
  topics: [],
  topicConfigs: {},
  hydrationWebhook: null,
  triggerWebhook: null,
  dependencies: null,
  files: null,
  framework: null,
});

const newScope = (projectId: string, name: string, index: number): ScopeFields => ({
  accessScopeId: randomUUID(),
  projectId,
  slug: `scope-${(index * 37) % 127}`,
  name,
  description: null,
  metadata: null,
});

const newSigningKey = (projectId: string, name: string): SigningKeyFields => ({
  signingKeyId: randomUUID(),
  projectId,
  keyId: mintToken(systemRandom, 'sk_live').keyId,
  name,
  allowExternalActors: false,
  // Never opened: the secret is not part of a list.
  sealedSecret: { masterKeyId: 'none', iv: '', ciphertext: '', tag: '' },
});
