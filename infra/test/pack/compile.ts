import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

export interface Resolution {
  readonly name: string;
  readonly file: string;
  readonly options: ts.CompilerOptions;
}

/** The ways in which projects have TypeScript find a package. */
export const resolutions: readonly Resolution[] = [
  {
    name: 'moduleResolution node16, from ESM',
    file: 'esm.mts',
    options: { module: ts.ModuleKind.Node16 },
  },
  {
    name: 'moduleResolution node16, from CommonJS',
    file: 'commonjs.cts',
    options: { module: ts.ModuleKind.Node16 },
  },
  {
    name: 'moduleResolution bundler',
    file: 'bundler.ts',
    options: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  },
  {
    name: 'moduleResolution node',
    file: 'node.ts',
    options: {
      module: ts.ModuleKind.CommonJS,
      moduleResolution: ts.ModuleResolutionKind.Node10,
      ignoreDeprecations: '6.0',
    },
  },
];

/** The errors of a strict program of one file, which has neither the types of Node nor those of a browser. */
export const compilesIn = async (
  project: string,
  { file, options }: Resolution,
  text: string,
  more: ts.CompilerOptions = {},
): Promise<readonly string[]> => {
  const path = join(project, file);
  await writeFile(path, text);
  const program = ts.createProgram([path], {
    ...{ strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts'], types: [] },
    ...options,
    ...more,
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
};
