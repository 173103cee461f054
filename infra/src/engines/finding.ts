export type Status = 'ok' | 'warning' | 'error';

/** What one check has found: a line for people, a row for programs. Nothing in it is ever a secret. */
export interface Finding {
  readonly check: string;
  readonly status: Status;
  readonly message: string;
  /** What to do about it. */
  readonly action?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });

export const warning = (check: string, message: string, action: string): Finding => ({
  ...{ check, status: 'warning', message, action },
});

export const failure = (check: string, message: string, action: string): Finding => ({
  ...{ check, status: 'error', message, action },
});

export const worstOf = (findings: readonly Finding[]): Status =>
  (['error', 'warning'] as const).find((status) => findings.some((each) => each.status === status)) ?? 'ok';

/** A line. */
export const describeFinding = ({ check, status, message, action }: Finding): string =>
  `${status.padEnd(7)}  ${check}: ${message}${action === undefined ? '' : `. ${action}`}`;

export const judgeClock = (whose: string, aheadMs: number): Finding => {
  const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s`;
  const message =
    Math.abs(aheadMs) < 500
      ? `agrees with that of ${whose}`
      : `that of ${whose} is ${seconds} ${aheadMs > 0 ? 'ahead' : 'behind'}`;
  const action = 'Keep the clocks together (chrony, systemd-timesyncd): tokens and the history go by them';
  if (Math.abs(aheadMs) >= 30_000) return failure('clock', message, action);
  return Math.abs(aheadMs) >= 2_000 ? warning('clock', message, action) : ok('clock', message);
};

/** The first two numbers of a version decide. */
export const judgeVersion = (
  check: string,
  version: string,
  oldest: readonly [major: number, minor: number],
): Finding => {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined)
    return ok(check, 'within reach; what version it is, it does not tell');
  const isOld = Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]);
  const message = `within reach, version ${version}`;
  return isOld
    ? warning(check, message, `Roomwire is tested with ${oldest.join('.')} and later: upgrade it`)
    : ok(check, message);
};
