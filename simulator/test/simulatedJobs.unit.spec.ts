import { jobStoreContract } from '@roomwire/testing/contracts/job-store/jobStoreContract';
import { jobStoreOn, SimulatedJobs } from '../src/engines/simulatedJobs.js';

jobStoreContract('the simulated engine', async () => {
  const jobs = new SimulatedJobs();
  // Halves, as while the network is hostile.
  const open = () =>
    jobStoreOn(
      jobs,
      async (act) => act(),
      () => false,
    );
  const store = open();
  return {
    store,
    reopen: async () => open(),
    beside: async () => open(),
    dispose: async () => undefined,
  };
});
