import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { Menu as MenuIcon, X } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { Button } from '../components/Button.js';
import { Loading } from '../components/Loading.js';
import { AccountMenu } from './AccountMenu.js';
import { Failed } from './Failed.js';
import { base } from './paths.js';
import { Navigation } from './Navigation.js';
import { ProjectSwitcher } from './ProjectSwitcher.js';
import { useFocusOnNavigation } from './useFocusOnNavigation.js';

/** What is around every page of a project. */
export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const [path] = useLocation();
  const content = useRef<HTMLElement>(null);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useFocusOnNavigation(path, content);
  useEffect(() => setMenuOpen(false), [path]);

  return (
    <div className="shell">
      <a className="skip-link" href="#content" onClick={(event) => skip(event, content.current)}>
        Skip to content
      </a>
      <header className="top-bar">
        <Button
          className="menu-button"
          look="quiet"
          aria-label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onPress={() => setMenuOpen(!isMenuOpen)}
        >
          {isMenuOpen ? <X aria-hidden size={18} /> : <MenuIcon aria-hidden size={18} />}
        </Button>
        <Link className="wordmark" href={`~${base}/`}>
          Roomwire
        </Link>
        <ProjectSwitcher />
        <AccountMenu />
      </header>
      <Navigation isOpen={isMenuOpen} />
      <main id="content" ref={content} tabIndex={-1}>
        <Failed key={path}>
          <Suspense fallback={<Loading what="the page" />}>{children}</Suspense>
        </Failed>
      </main>
    </div>
  );
};

/** The address stays: its fragment is none of a page. */
const skip = (event: { preventDefault(): void }, content: HTMLElement | null): void => {
  event.preventDefault();
  content?.focus();
};
