import type { KafkaState, TopicState } from '@roomwire/shared/adapters/message-bus/kafka/inspectKafka';
import { failure, ok, warning, type Finding } from './finding.js';

const mostReplicas = 3;

/** What the declaration says, and what the brokers have. */
export const judgeTopics = (topics: readonly TopicState[]): readonly Finding[] => {
  const findings = topics.flatMap(judgeTopic);
  return findings.length > 0 ? findings : [ok('topics', `${topics.length} as declared`)];
};

const judgeTopic = ({ declared, found }: TopicState): readonly Finding[] => {
  const { name } = declared;
  if (found === undefined)
    return [warning('topics', `${name} is not there`, 'The next process that starts makes it')];
  const findings: Finding[] = [];
  if (found.partitions < declared.partitions)
    findings.push(
      failure(
        'topics',
        `${name} has ${found.partitions} partitions, and ${declared.partitions} are declared`,
        'Stop every process, add partitions, start: what is in it loses its order',
      ),
    );
  if (found.maxRecordBytes < declared.maxRecordBytes)
    findings.push(
      failure(
        'topics',
        `${name} takes records of ${found.maxRecordBytes} bytes, and ${declared.maxRecordBytes} are needed`,
        `kafka-configs.sh --alter --topic ${name} --add-config max.message.bytes=${declared.maxRecordBytes}`,
      ),
    );
  if (found.retentionMs !== declared.retentionMs || found.cleanup !== declared.cleanup)
    findings.push(
      warning(
        'topics',
        `${name} is kept for ${found.retentionMs} ms (${found.cleanup}), declared are ${declared.retentionMs} ms (${declared.cleanup})`,
        `Unless that is intended: kafka-configs.sh --alter --topic ${name} --add-config retention.ms=${declared.retentionMs},cleanup.policy=${declared.cleanup}`,
      ),
    );
  return findings;
};

/** As many copies as there are brokers, three at most, and all of them up to date. */
export const judgeReplicas = ({ brokers, topics }: Pick<KafkaState, 'brokers' | 'topics'>): Finding => {
  const wanted = Math.min(brokers, mostReplicas);
  const there = topics.flatMap(({ declared, found }) => (found ? [{ name: declared.name, ...found }] : []));
  const behind = there.filter(({ underReplicated }) => underReplicated > 0).map(({ name }) => name);
  if (behind.length > 0)
    return failure('replicas', `not up to date: ${behind.join(', ')}`, 'See which broker is away or slow');
  const few = there.filter(({ fewestReplicas }) => fewestReplicas < wanted).map(({ name }) => name);
  if (few.length > 0)
    return warning(
      'replicas',
      `fewer than ${wanted}: ${few.join(', ')}`,
      'kafka-reassign-partitions.sh: a broker that is lost takes with it what it has alone',
    );
  return brokers === 1
    ? warning('replicas', 'one broker has all there is', 'Run three, where the loss of one must lose nothing')
    : ok('replicas', `${wanted} of each, up to date`);
};

export const judgeQueue = (queue: string, waiting: number): Finding => {
  const message = `${waiting} jobs wait in ${queue}`;
  const action = 'Add webhook-consumers, or see why none runs; jobs that wait for 14 days are lost';
  if (waiting >= 100_000) return failure('queues', message, action);
  return waiting >= 1_000 ? warning('queues', message, action) : ok('queues', message);
};
