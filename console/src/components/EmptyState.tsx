import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly title: string;
  /** What one does about it. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export const EmptyState = ({ title, children, action }: EmptyStateProps) => (
  <div className="empty-state">
    <p className="empty-title">{title}</p>
    {children !== undefined && <p className="muted">{children}</p>}
    {action}
  </div>
);
