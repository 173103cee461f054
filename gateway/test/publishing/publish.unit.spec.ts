import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { Author } from '../../src/access/client.js';
import type { TopicAccess } from '../../src/access/topicAccess.js';
import type { LeaseOutcome } from '../../src/limits/leaseTerms.js';
import type { ProjectUsage } from '../../src/limits/projectUsage.js';
import { createMetrics } from '../../src/metrics.js';
import { createPublish, type Publish } from '../../src/publishing/publish.js';
import type { DecidedClaim } from '../../src/publishing/publishClaims.js';
import { Publisher, type PublishAnswers } from '../../src/publishing/publisher.js';

const frame = (msgRef: string, fields: Partial<PublishFrame> = {}): PublishFrame => ({
  ...{ type: 'publish', topic: 'a/b/c', data: Uint8Array.of(1), qos: 1, retain: false },
  ...{ filter: undefined, filters: [], id: undefined, deliverAt: undefined },
  msgRef,
  ...fields,
});

describe('what a publish goes through', () => {
  let heard: string[];
  let areOver: boolean;
  let outcome: LeaseOutcome;
  let mustBeRead: boolean;
  let deciding: (id: string) => Promise<DecidedClaim>;
  let publisher: Publisher;
  let publish: Publish;
  const metrics = createMetrics();

  beforeEach(() => {
    heard = [];
    areOver = false;
    outcome = 'taken';
    mustBeRead = false;
    deciding = async (id) => ({ kind: 'won', claim: { key: id, messageId: `m-${id}` }, isRepeated: false });
    const answers: PublishAnswers = {
      get areOver() {
        return areOver;
      },
      counted: () => void heard.push('counted'),
      accepted: ({ msgRef }, { messageId, isDuplicate }) =>
        void heard.push(`${msgRef} accepted ${messageId} ${isDuplicate ? 'again' : ''}`.trim()),
      refused: ({ msgRef }, error) => void heard.push(`${msgRef} ${error}`),
    };
    publisher = new Publisher('gateway.1', answers);
    const usage = {
      get mustBeRead() {
        return mustBeRead;
      },
      admit: () => outcome,
      end: (isAccepted: boolean) => void heard.push(`usage ${isAccepted}`),
    } as unknown as ProjectUsage;
    publish = createPublish({
      metrics,
      usageLedger: { of: () => usage, read: async () => void heard.push('read') },
      claims: {
        claim: (_publisher, _author, _access, { id = '' }) => deciding(id),
        free: async ({ key }) => void heard.push(`free ${key}`),
      },
      withdrawOvertaken: async (claim) => claim,
      publishToBus: (_publisher, { frame: { msgRef, qos }, claim }) => {
        heard.push(`${msgRef} sent with qos ${qos}${claim ? ` as ${claim.messageId}` : ''}`);
        return undefined;
      },
      acceptSchedule: async (_publisher, { frame: { msgRef }, claim }) =>
        void heard.push(`${msgRef} scheduled${claim ? ` as ${claim.messageId}` : ''}`),
    });
  });

  const send = (sent: PublishFrame) =>
    publish(publisher, { author: {} as Author, access: {} as TopicAccess, frame: sent });

  it('is nothing but the quota without an id, and in the same turn', () => {
    expect(send(frame('1'))).to.equal(undefined);
    expect(heard).to.deep.equal(['counted', '1 sent with qos 1']);
  });

  it('[WS-PUB-9] ends where the quota is used up, or cannot be told', () => {
    outcome = 'full';
    void send(frame('1'));
    outcome = 'unavailable';
    void send(frame('2'));
    expect(heard).to.deep.equal(['1 quotaExceeded', '2 brokerUnavailable']);
  });

  it('[WS-PUB-9] begins when the count of a project has been read', async () => {
    mustBeRead = true;
    await send(frame('1'));
    expect(heard).to.deep.equal(['read', 'counted', '1 sent with qos 1']);
  });

  it('[WS-ONCE-3] with an id is of QoS 1 at least, and under the message id of the claim', async () => {
    void send(frame('1', { id: 'a', qos: 0 }));
    void send(frame('2', { id: 'b', qos: 2 }));
    await turn();
    expect(heard).to.deep.equal([
      'counted',
      'counted',
      '1 sent with qos 1 as m-a',
      '2 sent with qos 2 as m-b',
    ]);
  });

  it('[WS-PUB-3] keeps the order behind one whose id is not decided, and counts all of it at once [WS-PUB-6]', async () => {
    let decide = (_decided: DecidedClaim): void => undefined;
    deciding = (id) =>
      id === 'slow'
        ? new Promise((resolve) => (decide = resolve))
        : Promise.resolve({ kind: 'duplicate', messageId: `first-${id}` });
    void send(frame('1', { id: 'slow' }));
    void send(frame('2', { id: 'known' }));
    void send(frame('3'));
    await turn();
    expect(heard).to.deep.equal(['counted', 'counted', 'counted']);
    decide({ kind: 'won', claim: { key: 'slow', messageId: 'm-slow' }, isRepeated: false });
    await turn();
    expect(heard.slice(3)).to.deep.equal([
      '1 sent with qos 1 as m-slow',
      '2 accepted first-known again',
      '3 sent with qos 1',
    ]);
    expect(metrics.duplicatePublishes).to.equal(1);
    heard = [];
    void send(frame('4'));
    expect(heard).to.deep.equal(['counted', '4 sent with qos 1']);
  });

  it('[WS-ONCE-3] answers a conflict, and a store that is away', async () => {
    deciding = async (id) => ({ kind: id === 'a' ? 'conflict' : 'unavailable' });
    void send(frame('1', { id: 'a' }));
    void send(frame('2', { id: 'b' }));
    await turn();
    expect(heard.slice(2)).to.deep.equal(['1 publishConflict', '2 brokerUnavailable']);
  });

  it('[WS-ONCE-3] leaves an id free that the quota refuses, before it answers', async () => {
    outcome = 'full';
    void send(frame('1', { id: 'a' }));
    await turn();
    expect(heard).to.deep.equal(['counted', 'free a', '1 quotaExceeded']);
  });

  it('ends without a word where nobody waits any more, and leaves quota and id as they were', async () => {
    areOver = true;
    void send(frame('1'));
    void send(frame('2', { id: 'a' }));
    await turn();
    expect(heard).to.deep.equal(['usage false', 'counted', 'usage false', 'free a']);
  });
});
