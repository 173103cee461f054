import { expect } from 'chai';
import type { Actor } from '@roomwire/shared/domain/actor';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import * as records from '@roomwire/testing/builders/records';
import { eventually } from '@roomwire/testing/run/eventually';
import { busyFor } from '@roomwire/testing/run/busyFor';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import type { GoodStanding } from '../../src/access/credentials.js';
import { Plans } from '../../src/limits/plans.js';
import { coalesced, Revalidator } from '../../src/session/revalidator.js';
import { Roster } from '../../src/session/roster.js';
import type { Session } from '../../src/session/session.js';

const settled = () => new Promise(setImmediate);

describe('a coalesced action', () => {
  it('runs once more for all calls during a run', async () => {
    const finish: (() => void)[] = [];
    const run = coalesced(() => new Promise((resolve) => finish.push(resolve)), 10);
    run('key');
    run('key');
    run('key');
    expect(finish).to.have.length(1);
    finish[0]?.();
    await settled();
    expect(finish).to.have.length(2);
    finish[1]?.();
    await settled();
    expect(finish).to.have.length(2);
    run('key');
    expect(finish).to.have.length(3);
  });

  it('separates keys', () => {
    const keys: string[] = [];
    const run = coalesced(async (key) => void keys.push(key), 10);
    run('a');
    run('b');
    expect(keys).to.deep.equal(['a', 'b']);
  });

  it('retries after a failure', async () => {
    let attempts = 0;
    await new Promise<void>((resolve) => {
      const run = coalesced(async () => {
        if (++attempts < 3) throw new Error('The engine is away');
        resolve();
      }, 1);
      run('key');
    });
    expect(attempts).to.equal(3);
  });
});

describe('the revalidation of actors and projects', () => {
  const organizationId = 'acme';
  const projectId = 'chat';
  const actorTokenId = 'ann';
  let revalidator: Revalidator;
  let actor: Actor;
  let reads: number;
  /** Happens while the actor is read. */
  let meanwhile: () => void;
  /** Actors that were found to be in good standing. */
  let found: Actor[];
  let endings: string[];
  let roster: Roster;

  const read = (view: string, id: string) => {
    if (view === 'organizations') return records.organization(id);
    if (view === 'projects') return records.project(id, organizationId);
    reads++;
    const before = actor;
    meanwhile();
    return before;
  };

  beforeEach(() => {
    ({ record: actor } = records.actor(projectId, { actorTokenId }));
    reads = 0;
    meanwhile = () => undefined;
    found = [];
    endings = [];
    roster = new Roster();
    roster.enter({
      identity: { actorTokenId, projectId, organizationId },
      isInScope: () => false,
      actorUpdated: () => undefined,
      endFor: (ending: string) => endings.push(ending),
      standingRead: ({ actor: shown }: GoodStanding) => found.push(shown),
      recheck: () => Promise.resolve(),
    } as unknown as Session);
    const nothing = () => undefined;
    revalidator = new Revalidator({
      views: { get: async (view: string, id: string) => read(view, id) } as unknown as ViewReader,
      clock: new ManualClock(),
      logger: silentLogger,
      directory: { forgetAll: nothing, projectChanged: nothing },
      signingKeys: { changed: nothing, forgetAll: nothing, projectChanged: nothing },
      roster,
      retained: { projectDeleted: nothing },
      persistentSessions: { forgetActor: nothing },
      plans: new Plans(),
      connectionLimit: { enforce: nothing },
    } as unknown as ConstructorParameters<typeof Revalidator>[0]);
  });

  it('reads an actor once, whatever becomes of its name and of others', async () => {
    meanwhile = () => {
      if (reads > 20) return;
      revalidator.actorUpdated(actorTokenId, { name: 'Ann' });
      revalidator.actorUpdated('ben', { status: 'disabled' });
      revalidator.organizationSuspended('umbrella');
      revalidator.projectDeleted('mail');
      revalidator.scopeEnded('mail', 'berlin');
      revalidator.signingKeyEnded('mail', 'key');
    };
    await revalidator.recheckAll();
    expect([reads, found]).to.deep.equal([1, [actor]]);
  });

  it('reads an actor again that changed meanwhile', async () => {
    const expiresAt = '2030-01-01T00:00:00.000Z';
    meanwhile = () => {
      meanwhile = () => undefined;
      actor = { ...actor, expiresAt };
      revalidator.actorUpdated(actorTokenId, { expiresAt });
    };
    await revalidator.recheckAll();
    expect(found).to.deep.equal([actor]);
  });

  it('ends the sessions of an actor that is in bad standing', async () => {
    actor = { ...actor, status: 'disabled' };
    await revalidator.recheckAll();
    expect([endings, found]).to.deep.equal([['actor_disabled'], []]);
  });

  it('[WS-AUTH-7] ends though an actor keeps changing, which is read again until it does not', async () => {
    let changes = 0;
    meanwhile = () => {
      if (changes++ < 20) revalidator.actorUpdated(actorTokenId, { expiresAt: null });
    };
    await revalidator.recheckAll();
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
    await revalidator.recheckAll();
    expect(endings).to.include('actor_disabled');
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
});
