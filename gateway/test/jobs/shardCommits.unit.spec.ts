import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ShardCommits, type ChangingGroup } from '../../src/jobs/owner/shardCommits.js';

describe('the commits of a shard', () => {
  it('are followed by what changes at the moment at which one is done', async () => {
    let commits = 0;
    const shard = new ShardCommits({
      ...{ shard: 1, term: 1, logger: silentLogger, now: () => 0, superseded: () => undefined },
      store: { commit: async () => void commits++ },
    });
    const group: ChangingGroup = { groupId: 'group', takeChanges: () => ({ groupId: 'group' }) };
    for (let n = 1; n <= 20; n++) {
      shard.changed(group, true);
      await shard.flushed();
      expect(commits).to.equal(n);
      for (let turns = 0; turns < n % 5; turns++) await Promise.resolve();
    }
    await shard.close();
  });

  it('are not waited for where the store is out of reach, nor is what changes while they are tried again', async () => {
    const shard = new ShardCommits({
      ...{ shard: 1, term: 1, logger: silentLogger, now: () => 0, superseded: () => undefined },
      store: {
        commit: async () => {
          throw new EngineUnavailable('jobs');
        },
      },
    });
    const group: ChangingGroup = { groupId: 'group', takeChanges: () => ({ groupId: 'group' }) };
    for (let n = 1; n <= 2; n++) {
      shard.changed(group, true);
      const error = await shard.flushed().catch((failure: unknown) => failure);
      expect(error).to.be.instanceOf(EngineUnavailable);
    }
    shard.changed(group, true);
    await shard.close();
  });
});
