import * as s from '../http/schema.js';

/** The grammar of semver 2.0.0, as its authors give it. */
const versionPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

export const versionSchema = s.text({ maxLength: 100, pattern: versionPattern.source });

/**
 * The precedence of two versions by semver 2.0.0: negative, zero or positive, for sorting. Zero means the same version:
 * build metadata makes no difference. Throws a `RangeError` for text that is not a version.
 */
export const compareVersions = (left: string, right: string): number => {
  const [a, b] = [precedence(left), precedence(right)];
  return compareLists(a.core, b.core) || comparePrereleases(a.prerelease, b.prerelease);
};

interface Precedence {
  readonly core: readonly string[];
  /** Empty for a release. */
  readonly prerelease: readonly string[];
}

const precedence = (version: string): Precedence => {
  const [match, major = '', minor = '', patch = '', prerelease] = versionPattern.exec(version) ?? [];
  if (match === undefined) throw new RangeError(`'${version}' is no version`);
  return { core: [major, minor, patch], prerelease: prerelease?.split('.') ?? [] };
};

/** A release comes after its prereleases. */
const comparePrereleases = (a: readonly string[], b: readonly string[]): number =>
  a.length === 0 || b.length === 0 ? b.length - a.length : compareLists(a, b);

/** A list comes after its own prefix. */
const compareLists = (a: readonly string[], b: readonly string[]): number => {
  for (const [index, identifier] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareIdentifiers(identifier, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
};

const isNumeric = (identifier: string): boolean => /^\d+$/.test(identifier);

/** Numbers come before words. They have no leading zeros, so that the longer one is the larger. */
const compareIdentifiers = (a: string, b: string): number => {
  if (isNumeric(a) !== isNumeric(b)) return isNumeric(a) ? -1 : 1;
  if (isNumeric(a) && a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
