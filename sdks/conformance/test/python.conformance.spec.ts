import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { adapterCommand } from '../src/adapter/adapters.js';
import { onEnginesOfTheRun } from '../src/run/engines.js';
import { onFiles } from '../src/server/files.js';
import { describeConformance } from './describeConformance.js';

describeConformance(
  `The Python client, ${isOnEngines() ? 'on two gateways over Kafka' : 'on files'}`,
  { adapter: adapterCommand('python'), skips: [] },
  async () => (isOnEngines() ? onEnginesOfTheRun() : onFiles()),
);
