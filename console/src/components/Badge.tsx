import type { ReactNode } from 'react';

interface BadgeProps {
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad';
  readonly children: ReactNode;
}

/** A word about the state of something. */
export const Badge = ({ tone = 'plain', children }: BadgeProps) => (
  <span className={`badge ${tone}`}>{children}</span>
);
