import { useQueries } from '@tanstack/react-query';
import { ChevronsUpDown } from 'lucide-react';
import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components';
import { useLocation } from 'wouter';
import { Button } from '../components/Button.js';
import { useProject, useSignedIn } from '../session/console.js';
import { projectPath } from './paths.js';
import { projectsQuery } from './projects.js';

/** Names the open project and leads to the others. */
export const ProjectSwitcher = () => {
  const { api, shown } = useSignedIn();
  const { organizationName, projectName, projectId } = useProject();
  const [, navigate] = useLocation();
  const lists = useQueries({
    queries: shown.organizations.map(({ organizationId }) => projectsQuery(api, organizationId)),
  });
  return (
    <MenuTrigger>
      <Button look="quiet" className="project-switcher">
        <span className="muted">{organizationName}</span>
        <span aria-hidden className="separator">
          /
        </span>
        <span className="project-name">{projectName}</span>
        <span className="visually-hidden">: choose another project</span>
        <ChevronsUpDown aria-hidden size={14} />
      </Button>
      <Popover className="popover">
        <Menu
          aria-label="Projects"
          selectionMode="single"
          selectedKeys={[projectId]}
          onAction={(key) => navigate(String(key))}
        >
          {shown.organizations.map(({ organizationId, name }, index) => (
            <MenuSection key={organizationId}>
              <Header>{name}</Header>
              {(lists[index]?.data ?? []).map((project) => (
                <MenuItem key={project.projectId} id={projectPath(organizationId, project.projectId)}>
                  {project.name}
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
};
