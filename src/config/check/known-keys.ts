// Names of keys that codex 0.166 knows, for suggestions only: whether a key is right, codex itself says. An e2e test holds
// each to the real one. Features are asked of codex.

const words = (text: string) => text.split(/\s+/).filter((word) => word)

const TOP =
  words(`model review_model model_context_window model_auto_compact_token_limit model_provider approval_policy
  approvals_reviewer sandbox_mode sandbox_workspace_write forced_chatgpt_workspace_id forced_login_method web_search tools
  developer_instructions compact_prompt model_reasoning_effort model_reasoning_summary model_verbosity service_tier
  analytics apps sqlite_home project_doc_fallback_filenames mcp_servers skills personality chatgpt_base_url marketplaces
  allow_login_shell default_permissions thread_unload_delay_secs mcp_oauth_callback_url mcp_oauth_callback_port
  mcp_oauth_credentials_store model_instructions_file notice check_for_update_on_startup tool_output_token_limit
  background_terminal_max_timeout profile memories feedback tui project_doc_max_bytes plugins otel oss_provider
  permissions hooks shell_environment_policy windows project_root_markers file_opener projects model_providers history
  log_dir disable_paste_burst features notify model_catalog_json openai_base_url agents profiles
  cli_auth_credentials_store show_raw_agent_reasoning hide_agent_reasoning`)

/** A star stands for any name. */
const BELOW: readonly (readonly [path: string, names: readonly string[]])[] = [
  [
    'mcp_servers.*',
    words(`command args env env_vars cwd url http_headers env_http_headers bearer_token_env_var oauth scopes enabled
      required startup_timeout_sec startup_timeout_ms tool_timeout_sec enabled_tools disabled_tools tools
      default_tools_approval_mode supports_parallel_tool_calls environment_id http_headers_helper auth oauth_resource`),
  ],
  [
    'sandbox_workspace_write',
    words('writable_roots network_access exclude_tmpdir_env_var exclude_slash_tmp'),
  ],
  [
    'shell_environment_policy',
    words('inherit ignore_default_excludes exclude set include_only experimental_use_profile'),
  ],
  [
    'model_providers.*',
    words(`name base_url env_key env_key_instructions wire_api query_params http_headers env_http_headers
      request_max_retries stream_max_retries stream_idle_timeout_ms requires_openai_auth supports_websockets`),
  ],
  ['projects.*', ['trust_level']],
  ['history', ['persistence', 'max_bytes']],
  [
    'tui',
    words('notifications notification_method animations show_tooltips theme alternate_screen status_line'),
  ],
  ['plugins.*', ['enabled']],
  ['analytics', ['enabled']],
]

/** Names that may stand where this path leads. */
export function knownKeys(above: readonly string[]): readonly string[] {
  if (above.length === 0) return TOP
  const fits = (pattern: string) => {
    const parts = pattern.split('.')
    return (
      parts.length === above.length && parts.every((part, index) => part === '*' || part === above[index])
    )
  }
  return BELOW.find(([pattern]) => fits(pattern))?.[1] ?? []
}

/** Every known key with its path, a star for any name. */
export const ALL_KNOWN_KEYS: readonly (readonly string[])[] = [
  ...TOP.map((name) => [name]),
  ...BELOW.flatMap(([path, names]) => names.map((name) => [...path.split('.'), name])),
]
