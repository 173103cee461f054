import { expect } from 'chai';
import type { JobGroups, NewJobGroup, PeekedJob } from '@roomwire/shared/ports/jobGroups';
import { gatewayAnswers, gatewayQuestions } from '@roomwire/shared/wire/bus/gatewayQuestions';
import type { JobQuestion } from '@roomwire/shared/wire/bus/jobQuestions';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { MemoryJobGroups } from '@roomwire/testing/fakes/memoryJobGroups';
import { askedJobGroups } from '../../src/questions/askedJobGroups.js';
import { answerAboutJobs } from '../../src/questions/jobAnswers.js';
import type { Questions } from '../../src/questions/questions.js';

const [projectId, roomId] = ['p', 'r'];
const options = { prefetch: 1, ackSeconds: 5, maxDeliveries: 2 };
const newGroup = (name: string): NewJobGroup => ({
  ...{
    projectId,
    appId: 'a',
    roomId,
    accessScopeId: null,
    room: 'p/app/_/hall',
    topic: 'chat',
    name,
    options,
  },
});
const jobOf = (at: number, bytes: number): PeekedJob => ({
  ...{ msgId: `m${at}`, from: null, at, deliveries: 0, filters: ['eu'], body: new Uint8Array(bytes) },
});

/** Asks these groups as if they were those of another process, with all that the bus does to questions and answers. */
const askedOver = (groups: JobGroups, asked: string[] = []): JobGroups => {
  const ask = async (question: JobQuestion, manner = 'at once') => {
    asked.push(`${question.kind} ${manner}`);
    const sent = gatewayQuestions.codec.encode({ to: 'g', from: 'h', number: 1, question });
    const received = gatewayQuestions.codec.decode(sent).question as JobQuestion;
    const answer = await answerAboutJobs(groups, received);
    return gatewayAnswers.codec.decode(gatewayAnswers.codec.encode({ to: 'h', number: 1, answer })).answer;
  };
  return askedJobGroups({ askOne: ask as Questions['askOne'] });
};

describe('worker groups that are asked about over the bus', () => {
  it('answer as they do in one process', async () => {
    const groups = new MemoryJobGroups();
    groups.jobs = [jobOf(1, 10), jobOf(2, 10)];
    groups.withoutJobs.add('plain');
    const asked: string[] = [];
    const over = askedOver(groups, asked);
    const created = await over.create(newGroup('thumbnails'));
    expect(created)
      .to.deep.include({ isNew: true })
      .and.to.have.nested.include({ 'group.name': 'thumbnails' });
    expect(await over.create(newGroup('thumbnails'))).to.have.property('isNew', false);
    expect(await over.create(newGroup('plain'))).to.equal('withoutJobs');
    const [group] = await over.list(projectId, roomId);
    const { groupId = '' } = group ?? {};
    expect(await over.get(projectId, roomId, groupId)).to.eql(group);
    expect(await over.peek(projectId, roomId, groupId, 1)).to.eql([jobOf(1, 10)]);
    expect(await over.get(projectId, 'elsewhere', groupId)).to.equal(undefined);
    expect(await over.peek(projectId, 'elsewhere', groupId, 1)).to.equal(undefined);
    expect(await over.delete(projectId, roomId, groupId)).to.equal(true);
    expect(await over.delete(projectId, roomId, groupId)).to.equal(false);
    // What changes something is never asked of two gateways at once.
    for (const kind of ['createGroup', 'deleteGroup']) expect(asked).to.include(`${kind} in turn`);
    for (const kind of ['listGroups', 'getGroup', 'peekGroup']) expect(asked).to.include(`${kind} at once`);
  });

  it('are listed in parts, none missing', async () => {
    const groups = new MemoryJobGroups();
    for (let n = 0; n < 2_300; n += 1) await groups.create(newGroup(`g${n}`));
    const asked: string[] = [];
    expect(await askedOver(groups, asked).list(projectId, roomId)).to.eql(
      await groups.list(projectId, roomId),
    );
    expect(asked).to.have.length(3);
  });

  it('show no more of large jobs than fits, and always one', async () => {
    const groups = new MemoryJobGroups();
    const most = limitTable.peekedBytes.value;
    groups.jobs = [jobOf(1, most + 1), jobOf(2, 1), jobOf(3, 1)];
    const created = await groups.create(newGroup('large'));
    const groupId = created === 'withoutJobs' ? '' : created.group.groupId;
    const peek = async () =>
      (await askedOver(groups).peek(projectId, roomId, groupId, 10))?.map(({ at }) => at);
    expect(await peek()).to.eql([1]);
    groups.jobs = [jobOf(1, most - 1), jobOf(2, 1), jobOf(3, 1)];
    expect(await peek()).to.eql([1, 2]);
  });
});
