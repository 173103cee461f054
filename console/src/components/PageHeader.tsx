import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePageTitle } from '../app/usePageTitle.js';

interface PageHeaderProps {
  readonly title: string;
  /** A sentence: what the page is for. */
  readonly children?: ReactNode;
  /** Buttons. */
  readonly actions?: ReactNode;
  /** Beside the title: a state, a badge. */
  readonly aside?: ReactNode;
  /** Where one came from. */
  readonly up?: { readonly href: string; readonly title: string };
}

export const PageHeader = ({ title, children, actions, aside, up }: PageHeaderProps) => {
  usePageTitle(title);
  return (
    <header className="page-header">
      <div>
        {up && (
          <Link className="up-link" href={up.href}>
            ← {up.title}
          </Link>
        )}
        <h1>
          {title} {aside}
        </h1>
        {children !== undefined && <p className="muted">{children}</p>}
      </div>
      {actions !== undefined && <div className="page-actions">{actions}</div>}
    </header>
  );
};
