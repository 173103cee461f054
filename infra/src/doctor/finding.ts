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
