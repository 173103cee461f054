import { expect } from 'chai';
import type { Actor } from '@roomwire/shared/domain/actor';
import type { Scope } from '@roomwire/shared/domain/scope';
import type { SigningKey } from '@roomwire/shared/domain/signingKey';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import * as records from '@roomwire/testing/builders/records';
import { eventually } from '@roomwire/testing/run/eventually';
import { busyFor } from '@roomwire/testing/run/busyFor';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import type { GoodStanding } from '../../src/access/credentials.js';
import { Plans } from '../../src/limits/plans.js';
import { Revalidator } from '../../src/session/revalidator.js';
import { Roster } from '../../src/session/roster.js';
import type { Session } from '../../src/session/session.js';

describe('the revalidation of actors and projects', () => {
  const organizationId = 'acme';
  const projectId = 'chat';
  const actorTokenId = 'ann';
  const issuedAt = '2026-01-01T00:00:00.000Z';
  let revalidator: Revalidator;
  let actor: Actor;
  let organization: ReturnType<typeof records.organization>;
  let scope: Scope | undefined;
  let signingKey: SigningKey | undefined;
  let revocations: readonly { readonly before: string }[];
  let plans: Plans;
  let names: string[];
  let reads: number;
  /** Happens while the actor is read. */
  let meanwhile: () => void;
  /** Actors that were found to be in good standing. */
  let found: Actor[];
  let endings: string[];
  let roster: Roster;

  const read = (view: string, id: string) => {
    if (view === 'organizations') return id === organizationId ? organization : undefined;
    if (view === 'projects') return records.project(id, organizationId);
    if (view === 'scopes') return scope;
    if (view === 'signingKeys') return signingKey;
    reads++;
    const before = actor;
    meanwhile();
    return before;
  };

  beforeEach(() => {
    ({ record: actor } = records.actor(projectId, { actorTokenId }));
    organization = records.organization(organizationId);
    scope = undefined;
    revocations = [];
    signingKey = { projectId, status: 'active' } as SigningKey;
    plans = new Plans();
    plans.read(organizationId, organization.plan);
    names = [];
    reads = 0;
    meanwhile = () => undefined;
    found = [];
    endings = [];
    roster = new Roster();
    roster.enter({
      identity: { actorTokenId, projectId, organizationId },
      signingKeyId: 'key',
      isInScope: (accessScopeId: string) => accessScopeId === 'berlin',
      scopeRenamed: (_: string, name: string) => names.push(name),
      endFor: (ending: string) => endings.push(ending),
      standingRead: ({ actor: shown }: GoodStanding) => found.push(shown as Actor),
      isRevokedBy: ({ before }: { before: string }) => before > issuedAt,
      recheck: () => Promise.resolve(),
    } as unknown as Session);
    const nothing = () => undefined;
    revalidator = new Revalidator({
      views: {
        get: async (view: string, id: string) => read(view, id),
        find: async () => revocations,
      } as unknown as ViewReader,
      clock: new ManualClock(),
      logger: silentLogger,
      directory: { forget: nothing, forgetAll: nothing, projectChanged: nothing },
      signingKeys: { changed: nothing, forget: nothing, forgetAll: nothing, projectChanged: nothing },
      roster,
      retained: { projectDeleted: nothing },
      persistentSessions: { forgetActor: nothing },
      plans,
      connectionLimit: { enforce: nothing },
    } as unknown as ConstructorParameters<typeof Revalidator>[0]);
  });

  it('reads an actor once, whatever becomes of its name and of others', async () => {
    meanwhile = () => {
      if (reads > 20) return;
      revalidator.actorUpdated(actorTokenId, { name: 'Ann' });
      revalidator.actorUpdated('ben', { status: 'disabled' });
      revalidator.organizationUpdated('umbrella');
      revalidator.projectDeleted('mail');
      revalidator.scopeUpdated('london');
      revalidator.signingKeyUpdated('other');
    };
    await revalidator.rechecks.everythingOf(() => true);
    expect([reads, found]).to.deep.equal([1, [actor]]);
  });

  it('reads an actor again that changed meanwhile', async () => {
    const expiresAt = '2030-01-01T00:00:00.000Z';
    meanwhile = () => {
      meanwhile = () => undefined;
      actor = { ...actor, expiresAt };
      revalidator.actorUpdated(actorTokenId, { expiresAt });
    };
    await revalidator.rechecks.everythingOf(() => true);
    expect(new Set(found.map((read) => read.expiresAt))).to.deep.equal(new Set([expiresAt]));
  });

  it('[HTTP-REVOKE-2] ends the sessions whose tokens were revoked, though it missed the event', async () => {
    revocations = [{ before: issuedAt }];
    await revalidator.rechecks.everythingOf(() => true);
    expect([endings, found]).to.deep.equal([[], [actor]]);
    revocations = [{ before: '2026-01-02T00:00:00.000Z' }];
    await revalidator.rechecks.everythingOf(() => true);
    expect(endings).to.deep.equal(['token_revoked']);
  });

  it('[HTTP-REVOKE-2] ends them by what the event says, and reads nothing', () => {
    const revoked = { revocationId: 'r', projectId, subject: actorTokenId, actorTokenId };
    revalidator.tokensRevoked({ ...revoked, before: issuedAt });
    expect(endings).to.deep.equal([]);
    const before = '2026-01-02T00:00:00.000Z';
    revalidator.tokensRevoked({ ...revoked, actorTokenId: 'ben', before });
    expect(endings).to.deep.equal([]);
    revalidator.tokensRevoked({ ...revoked, before });
    expect([endings, reads]).to.deep.equal([['token_revoked'], 0]);
  });

  it('ends the sessions of an actor that is in bad standing', async () => {
    actor = { ...actor, status: 'disabled' };
    await revalidator.rechecks.everythingOf(() => true);
    expect([endings, found]).to.deep.equal([['actor_disabled'], []]);
  });

  it('[WS-AUTH-7] ends though an actor keeps changing, which is read again until it does not', async () => {
    let changes = 0;
    meanwhile = () => {
      if (changes++ < 20) revalidator.actorUpdated(actorTokenId, { expiresAt: null });
    };
    await revalidator.rechecks.everythingOf(() => true);
    expect([changes < 20, found]).to.deep.equal([true, []]);
    meanwhile = () => undefined;
    await eventually(() => found.length > 0);
    expect(found).to.deep.equal([actor]);
  });

  it('[WS-AUTH-7] ends the sessions of an actor in bad standing even if it keeps changing', async () => {
    actor = { ...actor, status: 'disabled' };
    let changes = 0;
    meanwhile = () => {
      if (changes++ < 20) revalidator.actorUpdated(actorTokenId, { expiresAt: null });
    };
    await revalidator.rechecks.everythingOf(() => true);
    expect(endings).to.include('actor_disabled');
  });

  describe('after an event that arrives late', () => {
    /** What has been caused before is over: an actor is read after an organization, a scope or a key. */
    const allRead = () => eventually(() => found.length > 0);

    it('[WS-AUTH-7] leaves an actor that was enabled since', async () => {
      revalidator.actorUpdated(actorTokenId, { status: 'disabled' });
      await allRead();
      expect(endings).to.deep.equal([]);
    });

    it('[WS-AUTH-7] takes over the expiry and the scope that the actor has, not those of the event', async () => {
      revalidator.actorUpdated(actorTokenId, {
        expiresAt: '2020-01-01T00:00:00.000Z',
        accessScopeId: 'rome',
      });
      await allRead();
      expect([endings, found]).to.deep.equal([[], [actor]]);
    });

    it('leaves the connections of what is active', async () => {
      scope = records.scope(projectId, 'berlin', { accessScopeId: 'berlin', name: 'Berlin today' });
      revalidator.organizationUpdated(organizationId);
      revalidator.scopeUpdated('berlin');
      revalidator.signingKeyUpdated('key');
      revalidator.recheckActor(actorTokenId);
      await allRead();
      expect([endings, names]).to.deep.equal([[], ['Berlin today']]);
    });

    it('leaves the connections of what is gone to the event of its deletion', async () => {
      revalidator.organizationUpdated('umbrella');
      revalidator.scopeUpdated('berlin');
      revalidator.recheckActor(actorTokenId);
      await allRead();
      expect(endings).to.deep.equal([]);
    });
  });

  it('ends the sessions of an organization that is suspended, and takes over its plan', async () => {
    const plan = { ...organization.plan, maxConnections: 7 };
    organization = { ...organization, status: 'suspended', plan };
    revalidator.organizationUpdated(organizationId);
    await eventually(() => plans.of(organizationId)?.plan === plan);
    expect(endings).to.deep.equal(['organization_suspended']);
  });

  it('ends the sessions in a scope that is inactive', async () => {
    scope = records.scope(projectId, 'berlin', { accessScopeId: 'berlin', isActive: false });
    revalidator.scopeUpdated('berlin');
    await eventually(() => endings.length > 0);
    expect(endings).to.deep.equal(['scope_inactive']);
  });

  it('ends the sessions under a signing key that is disabled', async () => {
    signingKey = { projectId, status: 'disabled' } as SigningKey;
    revalidator.signingKeyUpdated('key');
    await eventually(() => endings.length > 0);
    expect(endings).to.deep.equal(['signing_key_inactive']);
  });

  it('checks the many connections of a project in slices', async () => {
    const connections = 20;
    let turn = 0;
    const nextTurn = () => {
      turn++;
      if (turns.length < connections) setImmediate(nextTurn);
    };
    const turns: number[] = [];
    const recheck = () => {
      busyFor(1);
      turns.push(turn);
      return Promise.resolve();
    };
    const identity = { actorTokenId, projectId: 'mail', organizationId };
    for (let n = 0; n < connections; n++) roster.enter({ identity, recheck } as Session);
    nextTurn();
    revalidator.recheckProject('mail');
    await eventually(() => turns.length === connections);
    expect(new Set(turns).size).to.be.above(2);
  });

  describe('of a project with many connections', () => {
    const identity = { actorTokenId, projectId: 'mail', organizationId };

    it('[WS-TOPIC-4] waits for the reads of a few of them at a time, since each may take milliseconds', async () => {
      const waiting: (() => void)[] = [];
      let read = 0;
      const recheck = async () => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        read++;
      };
      for (let n = 0; n < 100; n++) roster.enter({ identity, recheck } as Session);
      revalidator.recheckProject('mail');
      for (const reads of [16, 16, 16, 16, 16, 16, 4]) {
        await eventually(() => waiting.length === reads, { what: 'the reads of a few' });
        for (const answer of waiting.splice(0)) answer();
      }
      await eventually(() => read === 100, { what: 'all are read' });
    });

    it('[WS-AUTH-7] tries all of them again where a read has failed', async () => {
      const rechecked = new Array<number>(40).fill(0);
      let isAway = true;
      for (const n of rechecked.keys())
        roster.enter({
          identity,
          recheck: async () => {
            if (n === 20 && isAway) throw new Error('away');
            rechecked[n] = (rechecked[n] ?? 0) + 1;
          },
        } as unknown as Session);
      revalidator.recheckProject('mail');
      await eventually(() => rechecked[19] === 1);
      isAway = false;
      await eventually(() => rechecked.every((times) => times > 0), { what: 'all are read' });
    });
  });
});
