import { adapterCommand } from '../src/adapter/adapters.js';
import { onFiles } from '../src/server/files.js';
import { describeConformance } from './describeConformance.js';

describeConformance(
  'The TypeScript client, on files',
  { adapter: adapterCommand('typescript'), skips: [] },
  async () => onFiles(),
);
