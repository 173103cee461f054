import { appends, reads } from './storage.js';
import { chat } from './chat.js';
import { clientRestart } from './clientRestart.js';
import { clientTokens } from './clientTokens.js';
import { connections } from './connections.js';
import { fanOut } from './fanOut.js';
import { filters } from './filters.js';
import { gateways } from './gateways.js';
import { groups } from './groups.js';
import { historyMeta } from './historyMeta.js';
import { historyPublish, historyPublishOnEngines } from './historyPublish.js';
import { historyRead, historyReadOnEngines } from './historyRead.js';
import { historyResume, historyResumeOnEngines } from './historyResume.js';
import { httpPublish, httpPublishOnEngines } from './httpPublish.js';
import { idle } from './idle.js';
import { jobs } from './jobs.js';
import { joinStorm } from './joinStorm.js';
import { largeProject } from './largeProject.js';
import { meta } from './meta.js';
import { partitions } from './partitions.js';
import { presence } from './presence.js';
import { presencePages } from './presencePages.js';
import { rebuild } from './rebuild.js';
import { rest, restOnEngines } from './rest.js';
import type { Scenario } from './scenario.js';
import { startUp } from './startUp.js';
import { storm } from './storm.js';
import { threads } from './threads.js';
import { webhooks } from './webhooks.js';
import { writers } from './writers.js';

export const scenarios: readonly Scenario[] = [
  fanOut,
  chat,
  presence,
  joinStorm,
  groups,
  jobs,
  storm,
  connections,
  idle,
  threads,
  clientTokens,
  clientRestart,
  filters,
  meta,
  httpPublish,
  historyPublish,
  historyResume,
  historyRead,
  historyMeta,
  appends,
  reads,
  rest,
  largeProject,
  presencePages,
  startUp,
  webhooks,
  restOnEngines,
  writers,
  gateways,
  httpPublishOnEngines,
  historyPublishOnEngines,
  historyResumeOnEngines,
  historyReadOnEngines,
  rebuild,
  partitions,
];
