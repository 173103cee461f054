// Runs in mongosh when the database is made: a user for each service, with the rights that it uses and no others. Tests
// compare `written` with what the services do. Who writes a collection may also make its indexes.

/* global db */

const written = {
  'command-api': [
    ...['last_uses', 'accessLog', 'viewReaders', 'streamSnapshots', 'streamSnapshotParts'],
    ...['usage', 'publish_ids', 'schedules', 'historyTopics', 'historyBuckets'],
    ...['activity', 'activityWriters'],
  ],
  projections: 'everything',
  gateway: [
    ...['last_uses', 'usage', 'connections', 'sessions', 'workerGroups', 'publish_ids'],
    ...['accessLog', 'viewReaders', 'schedules', 'shard_leases', 'shard_members'],
    ...['jobShards', 'jobGroups', 'jobBuckets', 'jobChunks', 'jobIds'],
    ...['roomEvents', 'roomEventsSettled', 'activity', 'activityWriters'],
  ],
  'webhook-consumer': ['viewReaders', 'roomEventsSettled', 'activity', 'activityWriters'],
};

const roomwire = db.getSiblingDB('roomwire');

for (const [service, collections] of Object.entries(written)) {
  const variable = `MONGODB_${service.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
  const user = { user: service, pwd: process.env[variable] };
  if (collections === 'everything') {
    roomwire.createUser({ ...user, roles: ['readWrite'] });
    continue;
  }
  const actions = ['find', 'insert', 'update', 'remove', 'createCollection', 'createIndex'];
  const privileges = collections.map((collection) => ({ resource: { db: 'roomwire', collection }, actions }));
  roomwire.createRole({ role: service, privileges, roles: ['read'] });
  roomwire.createUser({ ...user, roles: [service] });
}
