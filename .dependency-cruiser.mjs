/** Circles between files, type imports included. The layers are held by ESLint, which shows them in editors. */
export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'What imports one another is one thing in several files: let one of them name what it needs.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    includeOnly: '^(sdks/)?[^/]+/(src|test)/',
  },
};
