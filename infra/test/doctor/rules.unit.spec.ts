import { expect } from 'chai';
import type { BusTopic } from '@roomwire/shared/wire/bus/busTopics';
import { describeFinding, judgeClock, judgeVersion, worstOf } from '../../src/engines/finding.js';
import type { Provenance } from '@roomwire/shared/runtime/provenance';
import { judgeDisk, judgeFiles, judgeLag } from '../../src/doctor/rules.js';
import { judgeQueue, judgeReplicas, judgeTopics } from '../../src/engines/kafkaFindings.js';

const gigabyte = 1_000_000_000;
const statuses = (findings: readonly { readonly status: string }[]) => findings.map(({ status }) => status);

describe('findings of the doctor', () => {
  it('cover the free disk space', () => {
    const found = [100, 4, 1, 0.4].map((free) => judgeDisk(free * gigabyte, 200 * gigabyte));
    expect(statuses(found)).to.eql(['ok', 'warning', 'warning', 'error']);
    expect(judgeDisk(3 * gigabyte, 20 * gigabyte).status).to.equal('ok');
  });

  it('cover the limit of open files', () => {
    expect(statuses([65_536, 4_096, 256].map((limit) => judgeFiles(limit, undefined)))).to.eql([
      ...['ok', 'warning', 'error'],
    ]);
    expect(statuses([10, 54_000, 64_000].map((open) => judgeFiles(65_536, open)))).to.eql([
      ...['ok', 'warning', 'error'],
    ]);
    expect(judgeFiles(Infinity, 10).status).to.equal('ok');
  });

  it('cover a clock that is off in either direction', () => {
    for (const direction of [1, -1])
      expect(statuses([100, 2_500, 40_000].map((ms) => judgeClock('MongoDB', ms * direction)))).to.eql([
        ...['ok', 'warning', 'error'],
      ]);
    expect(judgeClock('MongoDB', -2_500).message).to.equal('that of MongoDB is 2.5 s behind');
  });

  it('cover the lag of followers of the log', () => {
    const lag = (checkpoint: string | undefined, missingSinceMs: number, isKept = true) =>
      judgeLag({
        ...{ follower: 'read models', head: '05', checkpoint, missingSinceMs, isKept },
        ...{ provenance: checkpoint === undefined ? undefined : 'this log', isShared: false },
      });
    expect(statuses([lag('05', 0), lag('04', 900), lag('04', 9_000), lag('04', 90_000)])).to.eql([
      ...['ok', 'ok', 'warning', 'error'],
    ]);
    expect(lag(undefined, 90_000)).to.include({ status: 'error', message: 'there are none yet' });
    expect(lag('04', 90_000, false).status, 'while nothing runs').to.equal('ok');
  });

  it('cover what was made from another log, or from this one before it was put back', () => {
    const made = (provenance: Provenance, isShared: boolean, head: string | undefined) =>
      judgeLag({
        ...{ follower: 'read models', head, checkpoint: '04', provenance, missingSinceMs: undefined },
        ...{ isKept: true, isShared },
      });
    const [onFiles, shared] = [made('another log', false, '05'), made('another log', true, '05')];
    expect(onFiles).to.include({ status: 'error', message: 'made from another event log' });
    expect(onFiles.action).to.equal('Start Roomwire, or restart it: it makes them anew');
    expect(shared.action).to.include('run `roomwire projections rebuild --anew`');
    expect(made('another log', true, undefined).status, 'on an empty log').to.equal('error');
    expect(made('this log, before it was put back', true, '02')).to.eql({
      ...{ check: 'read models', status: 'error', action: onFiles.action },
      message: 'made from what the event log no longer holds',
    });
  });

  it('cover work that waits', () => {
    expect(statuses([3, 2_000, 200_000].map((count) => judgeQueue('webhook-calls', count)))).to.eql([
      ...['ok', 'warning', 'error'],
    ]);
  });

  it('cover the version of an engine', () => {
    const version = (text: string) => judgeVersion('EventStoreDB', text, [22, 10]).status;
    expect(['24.10.1', '22.10.0', '22.6.0', '21.10.2', 'unknown'].map(version)).to.eql([
      ...['ok', 'ok', 'warning', 'warning', 'ok'],
    ]);
  });

  const declared = {
    ...{ name: 'messages', partitions: 8, retentionMs: 1_000 },
    ...{ cleanup: 'delete', maxRecordBytes: 100 },
  } as const satisfies BusTopic;
  const found = {
    ...{ partitions: 8, fewestReplicas: 3, underReplicated: 0 },
    ...{ retentionMs: 1_000, cleanup: 'delete', maxRecordBytes: 100 },
  };

  it('cover a topic whose settings differ from the declared ones', () => {
    const status = (changes: object) =>
      statuses(judgeTopics([{ declared, found: { ...found, ...changes } }]));
    expect(status({})).to.eql(['ok']);
    expect(status({ partitions: 9 })).to.eql(['ok']);
    expect(status({ partitions: 7 })).to.eql(['error']);
    expect(status({ maxRecordBytes: 99 })).to.eql(['error']);
    expect(status({ retentionMs: 999 })).to.eql(['warning']);
    expect(status({ cleanup: 'compact' })).to.eql(['warning']);
    expect(status({ partitions: 7, retentionMs: 999 })).to.eql(['error', 'warning']);
    expect(statuses(judgeTopics([{ declared, found: undefined }]))).to.eql(['warning']);
  });

  it('cover the number of replicas', () => {
    const status = (brokers: number, changes: object = {}) =>
      judgeReplicas({ brokers, topics: [{ declared, found: { ...found, ...changes } }] }).status;
    expect(status(3)).to.equal('ok');
    expect(status(5)).to.equal('ok');
    expect(status(3, { fewestReplicas: 1 })).to.equal('warning');
    expect(status(1, { fewestReplicas: 1 })).to.equal('warning');
    expect(status(3, { underReplicated: 1 })).to.equal('error');
  });

  it('are one line each, and the overall result is the worst of them', () => {
    const [well, bad] = [judgeClock('MongoDB', 0), judgeDisk(0, gigabyte)];
    expect(describeFinding(well)).to.equal('ok       clock: agrees with that of MongoDB');
    expect(describeFinding(bad)).to.match(/^error {4}disk: 0\.0 GB of 1\.0 GB are free\. Make room/);
    expect([worstOf([well]), worstOf([well, bad]), worstOf([])]).to.eql(['ok', 'error', 'ok']);
  });
});
