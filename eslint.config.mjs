import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const services = ['command-api', 'projections', 'gateway', 'webhook-consumer'];

/** Import specifiers that a set of files must not use, and why. */
const forbid = (files, patterns) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

const packages = (names, message) => ({
  group: names.flatMap((name) => [`@roomwire/${name}`, `@roomwire/${name}/*`]),
  message,
});

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/data/**'] },
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
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ExportDefaultDeclaration',
          message: 'A file is named for its one main export; no default exports.',
        },
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    // chai's property assertions are expressions; test doubles need not await.
    files: ['**/test/**', 'shared/src/testing/**'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'regexp/no-super-linear-backtracking': 'off',
      'regexp/no-super-linear-move': 'off',
    },
  },

  {
    // End-to-end tests look into JSON answers freely; a wrong path fails its expectation.
    files: ['infra/test/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },

  // Layers. A service knows shared and nothing of its siblings; only infra puts services together.
  ...services.flatMap((service) => {
    const siblings = packages(
      [...services.filter((other) => other !== service), 'infra', 'sdk', 'bench'],
      'A service imports shared and nothing of its siblings.',
    );
    const adapters = {
      group: ['@roomwire/shared/adapters/*'],
      message: 'A service gets its adapters from infra.',
    };
    return [forbid([`${service}/src/**`], [siblings, adapters]), forbid([`${service}/test/**`], [siblings])];
  }),
  forbid(['sdk/src/**'], [packages([...services, 'shared', 'infra', 'bench'], 'The client stands alone.')]),
  forbid(
    ['shared/src/**'],
    [packages([...services, 'infra', 'sdk', 'bench'], 'Shared code knows no service.')],
  ),
  // Inside shared: domain <- contracts <- ports <- adapters.
  forbid(
    ['shared/src/domain/**'],
    [
      {
        group: ['**/contracts/**', '**/ports/**', '**/adapters/**', '**/runtime/**', '**/credentials/**'],
        message: 'The domain imports nothing.',
      },
      { regex: '^[^.]', message: 'The domain imports no package and no Node module.' },
    ],
  ),
  forbid(
    ['shared/src/ports/**'],
    [
      { group: ['**/adapters/**', '**/runtime/**', '**/testing/**'], message: 'A port knows no adapter.' },
      { regex: '^[^.]', message: 'A port is free of packages and Node modules.' },
    ],
  ),
  forbid(
    ['shared/src/contracts/**', 'shared/src/credentials/**', 'shared/src/runtime/**'],
    [{ group: ['**/adapters/**', '**/testing/**'], message: 'Only infra picks adapters.' }],
  ),
  // The write model is pure: a decider sees the domain and its commands.
  forbid(
    [
      'command-api/src/**/decide*.ts',
      'command-api/src/**/decider.ts',
      'command-api/src/policy/**',
      'gateway/src/policy/**',
    ],
    [{ group: ['**/http/**', '**/adapters/**', 'node:*'], message: 'Deciders and policies are pure.' }],
  ),
);
