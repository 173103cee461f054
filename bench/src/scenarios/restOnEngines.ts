import { onEngines } from '../engines/onEngines.js';
import { startGenerator } from '../generator/startGenerator.js';
import type { RestResult } from '../generator/jobs.js';
import { inAlternation } from '../measure/rounds.js';
import { createProject } from '../peers/createProject.js';
import { roomwireApi } from '../peers/roomwireApi.js';
import { startService } from '../peers/roomwireService.js';
import { restComparisons } from './rest.js';
import type { Scenario } from './scenario.js';

const connections = 32;
const engineWarmUpSeconds = 3;

export const restOnEngines: Scenario = {
  name: 'rest-engines',
  summary: 'rooms created and read a second over REST, 32 connections, on engines',
  needsEngines: true,

  run: (ground) =>
    onEngines(ground, async (engines, started) => {
      const { settings, say } = ground;
      const commandApi = started.add(await startService('command-api', engines));
      started.add(await startService('projections', engines));
      const { apiKey } = await createProject(commandApi.port);
      const api = roomwireApi({ port: commandApi.port, credentials: { apiKey } });
      const generator = started.add(startGenerator(undefined));
      const name = 'Roomwire on EventStoreDB (stand-in), FerretDB and Kafka';
      const measure = async (round: number): Promise<RestResult> => {
        say(`rest-engines: round ${round + 1} of ${settings.runs}`);
        const path = `/v1/apps/${(await api.createApp('load')).appId}/rooms`;
        return generator.run({
          kind: 'rest',
          ...{ port: commandApi.port, serverId: commandApi.processId, apiKey, path, connections },
          ...{ warmUpSeconds: engineWarmUpSeconds, seconds: settings.seconds },
        });
      };
      const results = await inAlternation([{ name, measure }], settings.runs);
      return restComparisons(results, 'on engines', [
        'one command-api and one projections; FerretDB stands for MongoDB’s wire and not for its speed; not pinned',
      ]);
    }),
};
