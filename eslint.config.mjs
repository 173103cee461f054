import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const services = ['command-api', 'projections', 'gateway', 'webhook-consumer'];
/** The package of `infra` has the name of what it is to those who install it. */
const packageNames = [
  ...services,
  'analytics',
  'shared',
  'testing',
  'cli',
  'sdk',
  'console',
  'bench',
  'simulator',
];

const packages = (names, message) => ({
  group: names.flatMap((name) => [`@roomwire/${name}`, `@roomwire/${name}/*`]),
  message,
});

const allBut = (...allowed) => packageNames.filter((name) => !allowed.includes(name));

/**
 * The import patterns that files may not use. Of two ESLint blocks that both set `no-restricted-imports` for a file the later
 * one replaces the earlier one, so a layer inside another one repeats the bans of the outer one.
 */
const layer = (files, bans, inside) => ({ files, bans: [...bans, ...(inside?.bans ?? [])] });

/**
 * The client libraries of engines stand where they can be replaced: everybody else sees our own types. Test support has
 * them as foreign clients, witnesses of what an engine holds that know nothing of our adapters.
 */
const libraries = [
  {
    name: 'kafkajs',
    homes: ['shared/src/adapters/message-bus/kafka/kafkajs/**'],
    // Their tests, the witness, and the line that measures what the library does with nothing around it.
    others: [
      'shared/test/adapters/message-bus/kafkajs/**',
      'testing/src/engines/foreignKafka.ts',
      'bench/src/kafka/plainLine.ts',
    ],
  },
  {
    name: '@eventstore/db-client',
    homes: ['shared/src/adapters/event-log/eventstoredb/**'],
    // Their test; the stand-in of the server, which speaks the library's generated protocol, and what tests the stand-in.
    others: [
      'shared/test/adapters/event-log/**',
      'testing/src/engines/event-store/**',
      'infra/test/engines/event-store/**',
    ],
  },
].map((library) => ({
  ...library,
  ban: {
    regex: `^${library.name}(/|$)`,
    message: `${library.name} is used in ${library.homes.join()} alone, so that it can be replaced.`,
  },
}));

/** One of the three files that know kafkajs makes clients; the others are its own. */
const withinKafkajs = {
  regex: String.raw`/kafkajs/(?!kafkajsClient(\.js)?$)`,
  message: 'Of the files around kafkajs, kafkajsClient is for others.',
};

const libraryBans = [...libraries.map(({ ban }) => ban), withinKafkajs];

const importsAllowedBut = (files, bans) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: bans }] },
});

const blockOf = ({ files, bans }) => importsAllowedBut(files, [...bans, ...libraryBans]);

const serviceLayers = services.flatMap((service) => {
  const siblings = (allowed) =>
    packages(allBut(service, 'shared', ...allowed), 'A service imports shared and nothing of its siblings.');
  const adapters = {
    group: ['@roomwire/shared/adapters/*'],
    message: 'A service gets its adapters from infra.',
  };
  return [
    layer([`${service}/src/**`], [siblings([]), adapters]),
    layer([`${service}/test/**`], [siblings(['testing'])]),
  ];
});

const sourcesOf = (service) => serviceLayers[2 * services.indexOf(service)];

const pure = {
  group: ['**/http/**', '**/adapters/**', 'node:*'],
  message: 'Deciders and policies are pure.',
};

const machine = {
  regex: String.raw`^node:|^@roomwire/shared/(ports|runtime)/|^\.\./[^.]`,
  message: 'The state machine of worker groups is pure, and knows nothing of its shell.',
};

const shared = layer(['shared/src/**'], [packages(allBut('shared'), 'Shared code knows no service.')]);

/** The folders of the gateway by floors, the highest first. One may import those below it, none beside it. */
const gatewayFloors = [
  ['socket'],
  ['session'],
  ['subscriptions'],
  ['groups'],
  ['publishing'],
  ['fanout', 'presence', 'webhooks'],
  ['limits'],
  ['access'],
  ['policy'],
];

const gatewayLayers = gatewayFloors.flatMap((floor, index) =>
  floor.map((folder) => {
    const foreign = gatewayFloors
      .slice(0, index + 1)
      .flat()
      .filter((other) => other !== folder);
    const group = [
      ...foreign.map((other) => `**/${other}/**`),
      '**/compose.js',
      '**/gateway.js',
      '**/backends.js',
      '!@roomwire/shared/**',
    ];
    const floors = { group, message: 'A floor of the gateway knows nothing above it or beside it.' };
    const bans = folder === 'policy' ? [floors, pure] : [floors];
    return layer([`gateway/src/${folder}/**`], bans, sourcesOf('gateway'));
  }),
);

/** Outer layers first. */
const layers = [
  ...serviceLayers,
  // The write model is pure: a decider sees the domain and its commands.
  layer(['command-api/src/**/decide*.ts', 'command-api/src/policy/**'], [pure], sourcesOf('command-api')),
  ...gatewayLayers,
  layer(['gateway/src/groups/machine/**'], [machine], gatewayLayers[gatewayFloors.flat().indexOf('groups')]),
  layer(['webhook-consumer/src/policy/**'], [pure], sourcesOf('webhook-consumer')),
  layer(['analytics/src/**'], [packages(allBut('analytics', 'shared'), 'The analytics know shared alone.')]),
  layer(['sdk/src/**'], [packages(allBut('sdk'), 'The client stands alone.')]),
  layer(['sdks/*/src/**'], [packages(allBut('sdk'), 'What is made of the client knows the client alone.')]),
  layer(
    ['console/src/**'],
    [
      packages(allBut('sdk', 'console'), 'The console knows a service by its API alone.'),
      { regex: '^node:', message: 'The console runs in a browser.' },
    ],
  ),
  layer(
    ['sdks/conformance/src/**'],
    [
      packages(
        allBut('shared', 'testing'),
        'The kit sees a service from outside, and a client by its adapter.',
      ),
    ],
  ),
  layer(
    ['infra/src/**'],
    [packages(['testing', 'bench', 'simulator'], 'What is for tests lives with tests.')],
  ),
  layer(['testing/src/**'], [packages(allBut('testing', 'shared'), 'Test support knows shared alone.')]),
  shared,
  // Inside shared: domain <- wire <- ports <- adapters.
  layer(
    ['shared/src/domain/**'],
    [
      {
        group: ['**/wire/**', '**/ports/**', '**/adapters/**', '**/runtime/**', '**/credentials/**'],
        message: 'The domain imports nothing.',
      },
      { regex: '^[^.]', message: 'The domain imports no package and no Node module.' },
    ],
    shared,
  ),
  layer(
    ['shared/src/ports/**'],
    [
      { group: ['**/adapters/**', '**/runtime/**'], message: 'A port knows no adapter.' },
      { regex: '^[^.]', message: 'A port is free of packages and Node modules.' },
    ],
    shared,
  ),
  layer(
    ['shared/src/wire/**'],
    [
      {
        group: ['**/ports/**', '**/adapters/**', '**/runtime/**'],
        message: 'Wire formats know no port and no adapter.',
      },
    ],
    shared,
  ),
  layer(
    ['shared/src/credentials/**', 'shared/src/runtime/**'],
    [{ group: ['**/adapters/**'], message: 'Only infra picks adapters.' }],
    shared,
  ),
];

/** With the layer around the files, and without the ban of the library that they are for. */
const libraryBlocks = libraries.flatMap(({ name, homes, others }) => {
  const rest = libraries.filter((library) => library.name !== name).map(({ ban }) => ban);
  const around = (file) =>
    layers.findLast(({ files }) => files.some((outer) => file.startsWith(outer.slice(0, -2))));
  return [...homes, ...others].map((file) =>
    importsAllowedBut([file], [...(around(file)?.bans ?? []), ...rest]),
  );
});

/** `require` of parts that a library does not export, which `no-restricted-imports` does not see. */
const internalsOfKafkajs = {
  selector: 'CallExpression[callee.name="require"] > Literal[value=/^kafkajs/]',
  message: 'What kafkajs does not export is used in kafkajsInternals alone.',
};

const syntax = [
  {
    selector: 'ExportDefaultDeclaration',
    message: 'A file is named for its one main export; no default exports.',
  },
  { selector: 'PrivateIdentifier', message: 'Members that are not public are `private`.' },
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/data/**',
      '**/.venv/**',
      'sdks/server/src/rest/schema.ts',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { regexp },
    rules: {
      // A pattern that goes over a text in many ways lets one request hold up all others.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      'no-restricted-syntax': ['error', ...syntax, internalsOfKafkajs],
      'no-restricted-imports': ['error', { patterns: libraryBans }],
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['examples/**'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['document', 'location', 'localStorage', 'sessionStorage', 'crypto', 'setTimeout'],
          ...['fetch', 'TextEncoder', 'URLSearchParams'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    // chai's property assertions are expressions; test doubles need not await.
    files: ['**/test/**', 'testing/src/**'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'regexp/no-super-linear-backtracking': 'off',
      'regexp/no-super-linear-move': 'off',
    },
  },

  {
    // End-to-end tests look into JSON answers freely; a wrong path fails its expectation.
    files: ['infra/test/**', 'analytics/test/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },

  ...layers.map(blockOf),
  ...libraryBlocks,
  {
    files: [
      'shared/src/adapters/message-bus/kafka/kafkajs/kafkajsInternals.ts',
      'shared/test/adapters/message-bus/kafkajs/**',
    ],
    rules: { 'no-restricted-syntax': ['error', ...syntax] },
  },
);
