import { shardLeasesContract } from '@roomwire/testing/contracts/shardLeasesContract';
import { leaseTableOn, MemoryLeases } from '@roomwire/testing/fakes/memoryLeaseTable';

shardLeasesContract('memory', async () => {
  const leases = new MemoryLeases();
  return { open: async () => leaseTableOn(leases), dispose: async () => undefined };
});
