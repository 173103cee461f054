import { adapterCommand } from '../src/adapter/adapters.js';
import { onEnginesOfTheRun } from '../src/run/engines.js';
import { describeConformance } from './describeConformance.js';

describeConformance(
  'The TypeScript client, on two gateways over Kafka',
  { adapter: adapterCommand('typescript'), skips: [] },
  onEnginesOfTheRun,
);
