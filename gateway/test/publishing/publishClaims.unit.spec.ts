import { expect } from 'chai';
import type { ClaimOutcome, PublishClaim, PublishIds, SettledClaim } from '@roomwire/shared/ports/publishIds';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { givenIdOf } from '@roomwire/shared/wire/bus/messageId';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import type { Author } from '../../src/access/client.js';
import type { TopicAccess } from '../../src/access/topicAccess.js';
import { MessageIds } from '../../src/publishing/messageIds.js';
import { PublishClaims, type DecidedClaim, type WonClaim } from '../../src/publishing/publishClaims.js';

/** Answers with what it is told, and keeps what it is asked. */
class ScriptedIds implements PublishIds {
  readonly claimed: (readonly PublishClaim[])[] = [];
  readonly settled: (readonly [string, SettledClaim])[] = [];
  answer: (claim: PublishClaim, call: number) => ClaimOutcome = ({ messageId, at }) => ({
    ...{ kind: 'claimed', messageId, at, isRepeated: false },
  });

  async claim(claims: readonly PublishClaim[]): Promise<readonly ClaimOutcome[]> {
    this.claimed.push(claims);
    return claims.map((claim) => this.answer(claim, this.claimed.length));
  }

  sent = async (claims: readonly SettledClaim[]): Promise<void> => this.keep('sent', claims);
  free = async (claims: readonly SettledClaim[]): Promise<void> => this.keep('free', claims);
  giveUp = async (claims: readonly SettledClaim[]): Promise<void> => this.keep('givenUp', claims);

  private keep(how: string, claims: readonly SettledClaim[]): void {
    for (const claim of claims) this.settled.push([how, claim]);
  }
}

describe('the claims of publishes with an id', () => {
  let store: ScriptedIds;
  let claims: PublishClaims;

  beforeEach(() => {
    store = new ScriptedIds();
    const ids = new MessageIds(new ManualClock(), systemRandom);
    claims = new PublishClaims({ store, ids, logger: silentLogger, pollMs: 1, patienceMs: 20 });
  });

  const claim = (id: string, { data = 1, actor = 'ann', room = 'r', topic = 'p/a/_/r/t' } = {}) =>
    claims.claim(
      { mark: '.gateway.connection' },
      { actorTokenId: actor } as Author,
      { topic, location: { room: { value: { roomId: room } } } } as TopicAccess,
      { id, data: Uint8Array.of(data) } as PublishFrame,
    );
  const won = (decided: DecidedClaim): WonClaim =>
    decided.kind === 'won' ? decided.claim : expect.fail(decided.kind);

  it('[WS-ONCE-1] are of a publisher, an address and an id, and of a room as long as it lives', async () => {
    await claim('a');
    await claim('b');
    await claim('a', { actor: 'bob' });
    await claim('a', { room: 'made anew' });
    await claim('a', { topic: 'p/a/north/r/t' });
    const keys = store.claimed.flat().map(({ key }) => key);
    expect(new Set(keys).size).to.equal(5);
    for (const key of keys) expect(key).to.match(/^[A-Za-z0-9_-]{1,100}$/);
  });

  it('[WS-ONCE-3] are of the data alone', async () => {
    await claim('a', { data: 1 });
    await claim('b', { data: 1 });
    await claim('c', { data: 2 });
    const [one, same, other] = store.claimed.flat().map(({ digest }) => digest);
    expect([same === one, other === one]).to.deep.equal([true, false]);
  });

  it('name the id in the message id that they fix', async () => {
    const { messageId } = won(await claim('order-7'));
    expect(givenIdOf(messageId)).to.equal('order-7');
    expect(store.claimed[0]?.[0]?.messageId).to.equal(messageId);
  });

  it('take the message id of an earlier publish that may have been sent', async () => {
    store.answer = () => ({ kind: 'claimed', messageId: 'earlier', at: 7, isRepeated: true });
    expect(won(await claim('a')).messageId).to.equal('earlier');
  });

  it('that come in one turn are made together', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => claim(id)));
    expect(store.claimed.map(({ length }) => length)).to.deep.equal([3]);
  });

  it('[WS-ONCE-2] wait for what becomes of one of the same gateway, and ask the store then', async () => {
    const first = won(await claim('a'));
    let isDecided = false;
    const second = claim('a').finally(() => (isDecided = true));
    await new Promise(setImmediate);
    expect([isDecided, store.claimed.length]).to.deep.equal([false, 1]);
    store.answer = ({ at }) => ({ kind: 'sent', messageId: first.messageId, at });
    await claims.sent(first);
    expect(await second).to.deep.equal({ kind: 'duplicate', messageId: first.messageId });
    expect(store.settled).to.deep.equal([['sent', first]]);
  });

  it('[WS-ONCE-2] wait for one of another gateway, and are unavailable when nothing becomes of it', async () => {
    store.answer = ({ messageId, at }, call) =>
      call < 5 ? { kind: 'underway' } : { kind: 'sent', messageId, at };
    expect((await claim('a')).kind).to.equal('duplicate');
    store.answer = () => ({ kind: 'underway' });
    expect((await claim('a')).kind).to.equal('unavailable');
  });

  it('[WS-ONCE-3] are conflicts, or unavailable, where the store says so or says nothing', async () => {
    store.answer = () => ({ kind: 'conflict' });
    expect((await claim('a')).kind).to.equal('conflict');
    store.answer = () => {
      throw new Error('The store is away');
    };
    expect((await claim('a')).kind).to.equal('unavailable');
  });

  it('end also where the store cannot be told', async () => {
    const first = won(await claim('a'));
    store.sent = () => Promise.reject(new Error('The store is away'));
    await claims.sent(first);
    expect((await claim('a')).kind).to.equal('won');
  });
});
