import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ESLint, Linter } from 'eslint';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const kafkajs = 'shared/src/adapters/message-bus/kafka/kafkajs';

/** A file of each layer, and an import that each of its bans forbids: its own, and those of the layer around it. */
const forbidden: readonly (readonly [file: string, ...imports: readonly string[]])[] = [
  [
    'command-api/src/commandApi.ts',
    '@roomwire/gateway/gateway',
    '@roomwire/shared/adapters/x',
    '@roomwire/testing/x',
  ],
  [
    'command-api/src/rooms/decider.ts',
    'node:fs',
    '../http/route.js',
    '@roomwire/gateway/x',
    '@roomwire/shared/adapters/x',
  ],
  [
    'command-api/src/policy/slugFromName.ts',
    'node:fs',
    '@roomwire/projections/x',
    '@roomwire/shared/adapters/x',
  ],
  ['projections/src/projections.ts', '@roomwire/command-api/x', '@roomwire/shared/adapters/x'],
  ['gateway/src/gateway.ts', '@roomwire/cli/x', '@roomwire/shared/adapters/x', '@roomwire/testing/x'],
  ['gateway/src/socket/connection.ts', '../compose.js', '../gateway.js', '@roomwire/cli/x'],
  ['gateway/src/session/session.ts', '../socket/x.js', '../compose.js', '@roomwire/shared/adapters/x'],
  ['gateway/src/subscriptions/subscriptions.ts', '../session/x.js', '../socket/x.js', '../compose.js'],
  ['gateway/src/groups/workerGroups.ts', '../subscriptions/x.js', '../session/x.js', '../compose.js'],
  [
    'gateway/src/groups/machine/replica.ts',
    'node:timers',
    '@roomwire/shared/ports/clock',
    '../localGroup.js',
    '../../subscriptions/x.js',
    '@roomwire/cli/x',
  ],
  ['gateway/src/fanout/audience.ts', '../groups/x.js', '../presence/x.js', '../subscriptions/x.js'],
  ['gateway/src/presence/presence.ts', '../fanout/x.js', '../groups/x.js', '../session/x.js'],
  ['gateway/src/webhooks/hydrations.ts', '../fanout/x.js', '../subscriptions/x.js', '@roomwire/cli/x'],
  ['gateway/src/limits/usageLedger.ts', '../fanout/x.js', '../session/x.js'],
  ['gateway/src/access/directory.ts', '../limits/x.js', '../session/x.js', '@roomwire/cli/x'],
  [
    'gateway/src/policy/filters.ts',
    '../access/x.js',
    'node:fs',
    '@roomwire/command-api/x',
    '@roomwire/shared/adapters/x',
  ],
  [
    'webhook-consumer/src/policy/nextStep.ts',
    'node:fs',
    '@roomwire/gateway/x',
    '@roomwire/shared/adapters/x',
  ],
  ['webhook-consumer/test/x.ts', '@roomwire/gateway/x'],
  ['analytics/src/analytics.ts', '@roomwire/cli/x', '@roomwire/gateway/x', '@roomwire/testing/x'],
  ['sdk/src/client.ts', '@roomwire/shared/x', '@roomwire/testing/x'],
  ['sdks/react/src/useTopic.ts', '@roomwire/shared/x', '@roomwire/testing/x'],
  ['console/src/main.tsx', '@roomwire/shared/x', '@roomwire/command-api/x', '@roomwire/testing/x', 'node:fs'],
  ['sdks/conformance/src/main.ts', '@roomwire/sdk', '@roomwire/cli/x', '@roomwire/gateway/x'],
  ['infra/src/version.ts', '@roomwire/testing/x', '@roomwire/bench/x', '@roomwire/simulator/x'],
  ['testing/src/eventually.ts', '@roomwire/cli/x'],
  ['shared/src/runtime/service.ts', '@roomwire/gateway/x', '../adapters/x.js', '@roomwire/testing/x'],
  ['shared/src/credentials/secretBox.ts', '@roomwire/gateway/x', '../adapters/x.js'],
  ['shared/src/wire/views/views.ts', '@roomwire/gateway/x', '../../ports/x.js', '../../adapters/x.js'],
  ['shared/src/ports/clock.ts', '@roomwire/gateway/x', '../adapters/x.js', 'node:fs', 'mongodb'],
  ['shared/src/domain/topic.ts', '@roomwire/gateway/x', '../wire/x.js', '../ports/x.js', 'node:fs'],
  // The libraries of engines, in and out of the layers.
  ...[
    'shared/src/adapters/message-bus/kafka/topicSender.ts',
    'gateway/src/gateway.ts',
    'infra/src/version.ts',
  ].map(
    (file) =>
      [
        file,
        'kafkajs',
        'kafkajs/src/cluster',
        '@eventstore/db-client',
        './kafkajs/kafkajsInternals.js',
      ] as const,
  ),
  ...['infra/test/engines/x.int.spec.ts', 'bench/src/kafka/x.ts', 'shared/test/x.unit.spec.ts'].map(
    (file) => [file, 'kafkajs', '@eventstore/db-client/generated/streams_pb.js'] as const,
  ),
  [`${kafkajs}/kafkajsClient.ts`, '@eventstore/db-client', '@roomwire/gateway/x'],
  ['shared/src/adapters/event-log/eventstoredb/reads.ts', 'kafkajs', '@roomwire/gateway/x'],
];

const eslint = new ESLint({ cwd: root });

/** The messages of `no-restricted-imports` alone, as the configuration has it for the file. */
const refusals = async (file: string, imported: string): Promise<readonly string[]> => {
  const { rules } = (await eslint.calculateConfigForFile(file)) as { rules: Linter.RulesRecord };
  const rule = rules['no-restricted-imports'];
  const config = { rules: rule === undefined ? {} : { 'no-restricted-imports': rule } };
  return new Linter().verify(`import '${imported}';`, config).map(({ message }) => message);
};

describe('The layers', () => {
  for (const [file, ...imports] of forbidden)
    for (const imported of imports)
      it(`forbid ${file} to import ${imported}`, async () => {
        expect(await refusals(file, imported)).to.have.length.at.least(1);
      });

  it('let each layer import the layers below it', async () => {
    expect(await refusals('command-api/src/rooms/decider.ts', '@roomwire/shared/domain/topic')).to.deep.equal(
      [],
    );
    expect(await refusals('gateway/src/gateway.ts', '@roomwire/shared/ports/clock')).to.deep.equal([]);
    expect(
      await refusals('gateway/src/session/session.ts', '../subscriptions/subscriptions.js'),
    ).to.deep.equal([]);
    expect(await refusals('gateway/test/x.ts', '@roomwire/testing/run/eventually')).to.deep.equal([]);
    expect(await refusals('shared/src/ports/clock.ts', '../domain/topic.js')).to.deep.equal([]);
  });

  it('leave the library of an engine to its adapter, and to witnesses', async () => {
    const allowed = [
      [`${kafkajs}/kafkajsClient.ts`, 'kafkajs', './kafkajsInternals.js'],
      ['shared/test/adapters/message-bus/kafkajs/x.unit.spec.ts', 'kafkajs'],
      ['shared/src/adapters/message-bus/kafka/kafkaClients.ts', './kafkajs/kafkajsClient.js'],
      ['testing/src/engines/foreignKafka.ts', 'kafkajs'],
      ['bench/src/kafka/plainLine.ts', 'kafkajs'],
      ['shared/src/adapters/event-log/eventstoredb/reads.ts', '@eventstore/db-client'],
      ['testing/src/engines/event-store/readCall.ts', '@eventstore/db-client/generated/streams_pb.js'],
    ] as const;
    for (const [file, ...imports] of allowed)
      for (const imported of imports)
        expect(await refusals(file, imported), `${file} ${imported}`).to.eql([]);
  });

  it('leave what kafkajs does not export to one file', async () => {
    const text = "export const x = require('kafkajs/src/cluster');";
    const files = ['kafkajsInternals', 'kafkajsPartitions', 'kafkajsClient'].map(
      (name) => `${kafkajs}/${name}.ts`,
    );
    const found = await Promise.all(
      [...files, 'gateway/src/gateway.ts'].map(async (file) => {
        const { rules } = (await eslint.calculateConfigForFile(file)) as { rules: Linter.RulesRecord };
        const rule = rules['no-restricted-syntax'] as Linter.RuleEntry;
        return new Linter().verify(text, { rules: { 'no-restricted-syntax': rule } }).length;
      }),
    );
    expect(found).to.eql([0, 1, 1, 1]);
  });
});
