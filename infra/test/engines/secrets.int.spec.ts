import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { foreignKafka } from '@roomwire/testing/engines/foreignKafka';
import { eventually } from '@roomwire/testing/run/eventually';
import { readConfig } from '../../src/config/config.js';
import { expectNoSecret, refusedSessions, type Place } from '../secrets/expectNoSecret.js';
import { marker, takeTour } from '../secrets/tour.js';
import { TourRecord } from '../secrets/tourRecord.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { runRoomwire, type Program } from '../support/program.js';
import { withLog } from '../support/eventLogAccess.js';

const key = (fill: number) => Buffer.alloc(32, fill);
const secrets = {
  ROOMWIRE_MASTER_KEY: Buffer.from('a master key of the search, 32 B').toString('base64'),
  ROOMWIRE_SESSION_SECRET: Buffer.from('a session secret of the search 1').toString('base64'),
};
const nextMasterKey = Buffer.from('the next master key of the searc').toString('base64');
const loud = { ...secrets, ROOMWIRE_LOG_LEVEL: 'debug', ROOMWIRE_PUBLISH_RATE: '0' };

describe('secrets, on engines', function () {
  this.timeout(180_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let record: TourRecord;
  const programs: Program[] = [];
  let api: Member;
  let gateway: Member;

  const start = async (service: Member['service']): Promise<Member> => {
    const member = await cluster.add(service, loud);
    programs.push(member.program);
    return member;
  };
  const crash = async (): Promise<void> => {
    await Promise.all([api, gateway].map((member) => cluster.stop(member, 'SIGKILL')));
    [api, gateway] = await Promise.all([start('command-api'), start('gateway')]);
  };

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    [api, gateway] = await Promise.all([start('command-api'), start('gateway'), start('projections')]);
    record = new TourRecord(() => ({ baseUrl: api.baseUrl, socketUrl: gateway.socketUrl }));
    for (const [name, text] of Object.entries(secrets)) record.ledger.add(name, text);
    record.ledger.add('the next master key', nextMasterKey);
    const session = { subject: 'operator', organizationIds: [], isOperator: true };
    const sessionSecret = Buffer.from(secrets.ROOMWIRE_SESSION_SECRET, 'base64');
    const sessionToken = await mintSessionToken(sessionSecret, session, 3600, systemClock);
    record.ledger.addToken('a session', sessionToken);
    await takeTour(record, { crash, sessionToken, refusedSessions: await refusedSessions(record) });
    const rotating = runRoomwire(['keys', 'rotate'], {
      ROOMWIRE_EVENTSTORE_URL: engines.eventStoreUrl,
      ROOMWIRE_MASTER_KEY: nextMasterKey,
      // Keys 9 and 7 are those of other tests, in the log of a server that the run was given.
      ROOMWIRE_MASTER_KEY_PREVIOUS: [
        secrets.ROOMWIRE_MASTER_KEY,
        ...[9, 7].map((fill) => key(fill).toString('base64')),
      ].join(','),
      ROOMWIRE_LOG_LEVEL: 'debug',
    });
    expect((await rotating.ended).code, rotating.stderr()).to.equal(0);
    programs.push(rotating);
  });
  after(async () => {
    await cluster.close();
    await engines.close();
  });

  const holdsMarker = (places: readonly Place[]): boolean =>
    places.some(({ bytes }) => bytes.includes(marker));

  it('are in no answer but the one that shows them', () => expectNoSecret(record, record.said, 'answers'));

  it('are in no output of a process', () => {
    const printed = programs.flatMap((program, index) => [
      { what: `stdout of program ${index}`, bytes: Buffer.from(program.stdout()) },
      { what: `stderr of program ${index}`, bytes: Buffer.from(program.stderr()) },
    ]);
    expect(printed.some(({ bytes }) => bytes.includes('"message":"Ready"'))).to.equal(true);
    expectNoSecret(record, printed, 'outputs');
  });

  it('are in no event', async () => {
    const events: Place[] = [];
    await withLog(readConfig({ ROOMWIRE_EVENTSTORE_URL: engines.eventStoreUrl }), async (log) => {
      for await (const batch of log.readAll())
        for (const event of batch)
          events.push({ what: event.type, bytes: Buffer.from(JSON.stringify(event)) });
    });
    expect(holdsMarker(events)).to.equal(true);
    expectNoSecret(record, events, 'stores');
  });

  it('are in no collection', async () => {
    const client = await MongoClient.connect(cluster.mongodbUrl);
    const collections = await client.db().listCollections().toArray();
    const places = await Promise.all(
      collections.map(async ({ name }) => ({
        what: name,
        bytes: Buffer.from(JSON.stringify(await client.db().collection(name).find().toArray())),
      })),
    );
    await client.close();
    expect(holdsMarker(places)).to.equal(true);
    expectNoSecret(record, places, 'stores');
  });

  it('are in no record of any topic', async () => {
    const records = await everyRecord(engines.kafkaBrokers);
    expect(holdsMarker(records.filter(({ what }) => what.startsWith('domain-events')))).to.equal(true);
    expect(
      records.some(({ what }) => what.startsWith('messages')),
      'messages',
    ).to.equal(true);
    expectNoSecret(record, records, 'stores');
  });
});

/** Keys, headers and values of all topics, from the beginning to the end as it is now. */
const everyRecord = async (brokers: string): Promise<readonly Place[]> => {
  const kafka = foreignKafka(brokers.split(','));
  const admin = kafka.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => !topic.startsWith('__'));
  let missing = 0;
  for (const topic of topics)
    for (const { high, low } of await admin.fetchTopicOffsets(topic)) missing += Number(high) - Number(low);
  const groupId = `search-${process.pid}-${Date.now()}`;
  const consumer = kafka.consumer({ groupId });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  const places: Place[] = [];
  await consumer.run({
    eachMessage: async ({ topic, message: { key: by, value, headers } }) => {
      const bytes = Buffer.concat(
        [by, value, Buffer.from(JSON.stringify(headers ?? {}))].map((part) => part ?? Buffer.alloc(0)),
      );
      places.push({ what: `${topic} ${places.length}`, bytes });
    },
  });
  await eventually(() => places.length >= missing, { withinMs: 60_000, what: 'every record' });
  await consumer.disconnect();
  await admin.deleteGroups([groupId]);
  await admin.disconnect();
  return places;
};
