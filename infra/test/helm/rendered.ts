import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { helm, manifestProblems } from '@roomwire/testing/engines/kubernetesTools';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const infra = new URL('../../../', import.meta.url);
export const textOf = (path: string): string => readFileSync(new URL(path, infra), 'utf8');

export const chart = fileURLToPath(new URL('helm/', infra));
export const everything = parse(textOf('helm/ci/everything-values.yaml')) as object;

/** Manifests are what they are: a test names the fields that it is about. */
export type Manifest = any;

/** A list in one of them. */
export const listed = (value: unknown): readonly Manifest[] => value as readonly Manifest[];

export interface Rendered {
  readonly manifests: readonly Manifest[];
  find(kind: string, name: string): Manifest;
  all(kind: string): readonly Manifest[];
}

export const readManifests = (yaml: string): Rendered => {
  const manifests = parseAllDocuments(yaml)
    .map((document): Manifest => document.toJS())
    .filter((manifest) => manifest !== null);
  const all = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  return {
    manifests,
    all,
    find: (kind, name) =>
      all(kind).find(({ metadata }) => metadata.name === name) ??
      expect.fail(
        `There is no ${kind} ${name} among ${all(kind)
          .map(({ metadata }) => metadata.name)
          .join()}`,
      ),
  };
};

const template = async (values: readonly object[], release: string) => {
  const folder = await temporaryFolder();
  try {
    const files = values.map((_, index) => join(folder.path, `${index}.json`));
    await Promise.all(files.map((file, index) => writeFile(file, JSON.stringify(values[index]))));
    const given = files.flatMap((file) => ['--values', file]);
    return await helm('template', release, chart, '--namespace', 'roomwire', ...given);
  } finally {
    await folder.remove();
  }
};

/** What Helm would send to a cluster, each with what the cluster says against it: nothing. The last values win. */
export const rendered = async (...values: readonly object[]): Promise<Rendered> => {
  const { code, stdout, stderr } = await template(values, 'roomwire');
  expect(code, stderr).to.equal(0);
  expect(await manifestProblems(stdout)).to.eql([]);
  return readManifests(stdout);
};

/** Why Helm renders nothing of these values. */
export const refusal = async (...values: readonly object[]): Promise<string> => {
  const { code, stderr, stdout } = await template(values, 'roomwire');
  expect(code, stdout).to.not.equal(0);
  return stderr;
};
