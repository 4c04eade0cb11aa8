/** Settings in which every run's verl command differs from ARLArena's published scripts, with the reason. */
export const everywhere: Readonly<Record<string, string>> = {
  "actor_rollout_ref.model.path": "the scripts' paths are left out of the reference",
  "actor_rollout_ref.rollout.name": "a shell variable of the scripts whose default is vllm",
  "critic.model.path": "the scripts' paths are left out of the reference",
  "data.train_files": "the scripts' paths are left out of the reference",
  "data.val_files": "the scripts' paths are left out of the reference",
  "trainer.default_local_dir": "checkpoints are shared by the attempts of a run",
  "trainer.experiment_name": "a run's name is the studio's",
  "trainer.logger": "the template chooses",
  "trainer.n_gpus_per_node": "the template chooses",
  "trainer.project_name": "the template chooses",
  "trainer.rollout_data_dir": "rollouts are kept in the attempt's folder",
  "trainer.total_training_steps": "as many steps as iterations, whatever the data set's size",
  "trainer.val_before_train": "tables begin with what the policy could before training",
};

/** Reasons why other settings differ from the published scripts, by setting. */
export const reasons: Readonly<Record<string, string>> = {
  "actor_rollout_ref.actor.kl_loss_coef":
    "these scripts log a KL of 0.001 and update by none; a preset has one KL for all methods",
  "actor_rollout_ref.actor.kl_loss_update":
    "these scripts log the KL without updating by it, which leaves the policy unbound",
  "actor_rollout_ref.actor.max_response_len_per_turn":
    "responses of 500 tokens in some scripts, 512 in others; a preset has one limit",
  "actor_rollout_ref.rollout.gpu_memory_utilization": "a share of memory, the same for all methods of a preset",
  "actor_rollout_ref.rollout.val_kwargs.top_k":
    "only GRPO's script sets it; all methods of a preset are evaluated alike",
  "actor_rollout_ref.rollout.val_kwargs.top_p":
    "only GRPO's script sets it; all methods of a preset are evaluated alike",
  "algorithm.adv_estimator": "the estimator of this name overrides the tries of dynamic sampling",
  "algorithm.filter_groups.cold_start_steps": "this recipe never counts the steps, so that filtering would not begin",
  "algorithm.gigpo.mode": "read by GiGPO alone",
  "critic.model.use_remove_padding": "as the actor: padding changes speed, not values",
  "critic.ppo_micro_batch_size_per_gpu": "as the actor: micro-batches of the critic's mean change little",
  "critic.ppo_mini_batch_size": "a specification has one minibatch for policy and critic",
  "data.max_response_length": "500 tokens in some scripts, 512 in others; a preset has one limit",
  "data.train_batch_size": "without groups every episode is a prompt: as many episodes as the other methods have",
  "env.rollout.n": "without groups every episode is a prompt: as many episodes as the other methods have",
  "trainer.total_epochs": "150 to 250 iterations; a preset has one budget for all methods",
  "actor_rollout_ref.actor.ppo_max_token_len_per_gpu":
    "the scripts call a shell function of the model's name; here it is room for the longest row",
  "actor_rollout_ref.actor.use_kl_loss":
    "these scripts log a KL with coefficient 0 without updating by it; a plan without KL computes none",
  "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu":
    "twice the policy's, which a shell function gives in the scripts",
  "actor_rollout_ref.ref.ulysses_sequence_parallel_size": "the configuration refers to the policy's, which is 1",
  "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu":
    "twice the policy's, which a shell function gives in the scripts",
  "actor_rollout_ref.rollout.max_num_batched_tokens": "the sum that the scripts let the shell compute",
  "data.shuffle": "in the order of the file every seed would train on the same batches",
  "trainer.acc_filter_high": "a shell expression in the scripts",
  "trainer.acc_filter_low": "a shell expression in the scripts",
  "trainer.log_val_generations": "rollouts are kept in the attempt's folder",
  "trainer.save_freq": "never, every 5 or every 20 iterations; a preset has one rhythm",
  "trainer.start_clip_step": "read by no code of the repository",
  "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu":
    "one size for the policy and its log-probabilities; the script has 8 and 16",
  "trainer.max_actor_ckpt_to_keep": "all checkpoints of a run would fill a disk",
};

type Listed = { script: string; differences: readonly string[] };

/** Maps presets and methods to the published script and the differences that remain. The list may only get shorter. */
export const remaining: Readonly<
  Record<
    "arlarena-alfworld" | "arlarena-webshop" | "arlarena-math" | "arlarena-sokoban" | "search",
    Readonly<Record<string, Listed>>
  >
> = {
  "arlarena-alfworld": {
    GRPO: {
      script: "embody_agent_trainer/train_alfworld_grpo.sh",
      differences: ["algorithm.gigpo.mode: mean_norm, published mean_std_norm"],
    },
    GRPO_ST: {
      script: "embody_agent_trainer/train_alfworld_grpo_seq_mean.sh",
      differences: ["algorithm.gigpo.mode: mean_norm, published mean_std_norm"],
    },
    SAPO: {
      script: "embody_agent_trainer/train_alfworld_sapo.sh",
      differences: ["algorithm.gigpo.mode: mean_norm, published mean_std_norm"],
    },
    SAPO_SM: {
      script: "embody_agent_trainer/seq_mask/train_alfworld_sapo_seq_mask.sh",
      differences: ["algorithm.gigpo.mode: mean_norm, published mean_std_norm"],
    },
    CISPO: {
      script: "embody_agent_trainer/train_alfworld_cispo.sh",
      differences: ["algorithm.gigpo.mode: mean_norm, published mean_std_norm"],
    },
    CISPO_SM: {
      script: "embody_agent_trainer/seq_mask/train_alfworld_cispo_seq_mask.sh",
      differences: ["algorithm.gigpo.mode: mean_norm, published mean_std_norm"],
    },
    GSPO: {
      script: "embody_agent_trainer/train_alfworld_gspo.sh",
      differences: ["algorithm.gigpo.mode: mean_norm, published mean_std_norm"],
    },
    GiGPO: {
      script: "embody_agent_trainer/train_alfworld_gigpo.sh",
      differences: [],
    },
    EMPG: {
      script: "embody_agent_trainer/train_alfworld_empg.sh",
      differences: ["algorithm.gigpo.mode: mean_norm, published mean_std_norm"],
    },
    DAPO_GRPO: {
      script: "embody_agent_trainer/train_alfworld_dapo.sh",
      differences: ["algorithm.gigpo.mode: mean_norm, published mean_std_norm"],
    },
  },
  "arlarena-webshop": {
    GRPO: {
      script: "shop_agent_trainer/Qwen3_4B/train_grpo.sh",
      differences: [],
    },
    "GRPO by episodes": {
      script: "shop_agent_trainer/Qwen3_4B/train_vgrpo.sh",
      differences: [
        "actor_rollout_ref.actor.kl_loss_coef: 0.01, published 0.001",
        "actor_rollout_ref.actor.kl_loss_update: true, published false",
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
        "data.max_response_length: 512, published 500",
        "trainer.total_epochs: 200, published 150",
      ],
    },
    PPO: {
      script: "shop_agent_trainer/Qwen3_4B/train_ppo.sh",
      differences: [
        "actor_rollout_ref.actor.kl_loss_coef: 0.01, published 0.001",
        "actor_rollout_ref.actor.kl_loss_update: true, published false",
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
        "critic.model.use_remove_padding: true, published false",
        "critic.ppo_micro_batch_size_per_gpu: 8, published 4",
        "critic.ppo_mini_batch_size: ${actor_rollout_ref.actor.ppo_mini_batch_size}, published 64",
        "data.max_response_length: 512, published 500",
        "data.train_batch_size: 128, published 16",
        "env.rollout.n: -1, published 8",
        "trainer.total_epochs: 200, published 150",
      ],
    },
    "Dr. GRPO": {
      script: "shop_agent_trainer/Qwen3_4B/train_drgrpo.sh",
      differences: [
        "actor_rollout_ref.actor.max_response_len_per_turn: 512, published 500",
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
        "data.max_response_length: 512, published 500",
        "trainer.total_epochs: 200, published 150",
      ],
    },
    "REINFORCE++": {
      script: "shop_agent_trainer/Qwen3_4B/train_reinforcepp.sh",
      differences: [
        "actor_rollout_ref.actor.kl_loss_coef: 0.01, published 0.001",
        "actor_rollout_ref.actor.kl_loss_update: true, published false",
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
        "data.max_response_length: 512, published 500",
        "trainer.total_epochs: 200, published 150",
      ],
    },
    SAPO_SM: {
      script: "shop_agent_trainer/Qwen3_4B/train_sapo.sh",
      differences: [
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
        "trainer.total_epochs: 200, published 250",
      ],
    },
    CISPO: {
      script: "shop_agent_trainer/Qwen3_4B/train_cispo.sh",
      differences: [
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
        "data.max_response_length: 512, published 500",
        "trainer.total_epochs: 200, published 150",
      ],
    },
    AEPO: {
      script: "shop_agent_trainer/Qwen3_4B/train_aepo.sh",
      differences: [
        "actor_rollout_ref.actor.kl_loss_coef: 0.01, published 0.001",
        "actor_rollout_ref.actor.kl_loss_update: true, published false",
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
        "data.max_response_length: 512, published 500",
        "trainer.total_epochs: 200, published 150",
      ],
    },
    GSPO: {
      script: "shop_agent_trainer/Qwen3_4B/train_gspo.sh",
      differences: [
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
        "trainer.total_epochs: 200, published 250",
      ],
    },
    GiGPO: {
      script: "shop_agent_trainer/Qwen3_4B/train_gigpo.sh",
      differences: [
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
        "data.max_response_length: 512, published 500",
        "trainer.total_epochs: 200, published 150",
      ],
    },
    EMPG: {
      script: "shop_agent_trainer/Qwen3_4B/train_empg.sh",
      differences: [
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
      ],
    },
    DAPO_GRPO: {
      script: "shop_agent_trainer/Qwen3_4B/train_dapo.sh",
      differences: [
        "actor_rollout_ref.rollout.gpu_memory_utilization: 0.5, published 0.45",
        "actor_rollout_ref.rollout.val_kwargs.top_k: 20, published -1",
        "actor_rollout_ref.rollout.val_kwargs.top_p: 0.95, published 1",
        "algorithm.adv_estimator: grpo, published dapo",
        "algorithm.filter_groups.cold_start_steps: -1, published 0",
      ],
    },
  },
  "arlarena-math": {
    "GRPO of mixed groups": {
      script: "math_trainer/4B/train_grpo.sh",
      differences: [
        'actor_rollout_ref.actor.ppo_max_token_len_per_gpu: 16384, published $(generate_model_micro_token "qwen/qwen3-4b-base")',
        "actor_rollout_ref.actor.use_kl_loss: false, published true",
        "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu: 32768, published $((ppo_micro_token * 2))",
        "actor_rollout_ref.ref.ulysses_sequence_parallel_size: ${oc.select:actor_rollout_ref.actor.ulysses_sequence_parallel_size,1}, published 1",
        "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu: 32768, published $((ppo_micro_token * 2))",
        "actor_rollout_ref.rollout.max_num_batched_tokens: 13288, published $(expr 8192 + 4096 + 1000)",
        "data.shuffle: true, published false",
        "trainer.acc_filter_high: 1, published $(echo $acc_filter | cut -d'_' -f2)",
        "trainer.acc_filter_low: 0, published $(echo $acc_filter | cut -d'_' -f1)",
        "trainer.log_val_generations: 0, published 64",
        "trainer.start_clip_step: 50, published 20",
        "trainer.total_epochs: 200, published 30",
      ],
    },
    "GRPO_ST of mixed groups": {
      script: "math_trainer/4B/train_grpo_seq_mean.sh",
      differences: [
        'actor_rollout_ref.actor.ppo_max_token_len_per_gpu: 16384, published $(generate_model_micro_token "qwen/qwen3-4b-base")',
        "actor_rollout_ref.actor.use_kl_loss: false, published true",
        "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu: 32768, published $((ppo_micro_token * 2))",
        "actor_rollout_ref.ref.ulysses_sequence_parallel_size: ${oc.select:actor_rollout_ref.actor.ulysses_sequence_parallel_size,1}, published 1",
        "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu: 32768, published $((ppo_micro_token * 2))",
        "actor_rollout_ref.rollout.max_num_batched_tokens: 13288, published $(expr 8192 + 4096 + 1000)",
        "data.shuffle: true, published false",
        "trainer.acc_filter_high: 1, published $(echo $acc_filter | cut -d'_' -f2)",
        "trainer.acc_filter_low: 0, published $(echo $acc_filter | cut -d'_' -f1)",
        "trainer.log_val_generations: 0, published 64",
        "trainer.save_freq: 20, published 5",
        "trainer.start_clip_step: 50, published 20",
        "trainer.total_epochs: 200, published 30",
      ],
    },
    "SAPO of mixed groups": {
      script: "math_trainer/4B/train_sapo.sh",
      differences: [
        'actor_rollout_ref.actor.ppo_max_token_len_per_gpu: 16384, published $(generate_model_micro_token "qwen/qwen3-4b-base")',
        "actor_rollout_ref.actor.use_kl_loss: false, published true",
        "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu: 32768, published $((ppo_micro_token * 2))",
        "actor_rollout_ref.ref.ulysses_sequence_parallel_size: ${oc.select:actor_rollout_ref.actor.ulysses_sequence_parallel_size,1}, published 1",
        "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu: 32768, published $((ppo_micro_token * 2))",
        "actor_rollout_ref.rollout.max_num_batched_tokens: 13288, published $(expr 8192 + 4096 + 1000)",
        "data.shuffle: true, published false",
        "trainer.acc_filter_high: 1, published $(echo $acc_filter | cut -d'_' -f2)",
        "trainer.acc_filter_low: 0, published $(echo $acc_filter | cut -d'_' -f1)",
        "trainer.log_val_generations: 0, published 64",
        "trainer.save_freq: 20, published 5",
        "trainer.start_clip_step: 50, published 20",
        "trainer.total_epochs: 200, published 30",
      ],
    },
    "CISPO of mixed groups": {
      script: "math_trainer/4B/train_cispo.sh",
      differences: [
        'actor_rollout_ref.actor.ppo_max_token_len_per_gpu: 16384, published $(generate_model_micro_token "qwen/qwen3-4b-base")',
        "actor_rollout_ref.actor.use_kl_loss: false, published true",
        "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu: 32768, published $((ppo_micro_token * 2))",
        "actor_rollout_ref.ref.ulysses_sequence_parallel_size: ${oc.select:actor_rollout_ref.actor.ulysses_sequence_parallel_size,1}, published 1",
        "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu: 32768, published $((ppo_micro_token * 2))",
        "actor_rollout_ref.rollout.max_num_batched_tokens: 13288, published $(expr 8192 + 4096 + 1000)",
        "data.shuffle: true, published false",
        "trainer.acc_filter_high: 1, published $(echo $acc_filter | cut -d'_' -f2)",
        "trainer.acc_filter_low: 0, published $(echo $acc_filter | cut -d'_' -f1)",
        "trainer.log_val_generations: 0, published 64",
        "trainer.save_freq: 20, published 5",
        "trainer.start_clip_step: 50, published 20",
        "trainer.total_epochs: 200, published 30",
      ],
    },
    "GSPO of mixed groups": {
      script: "math_trainer/4B/train_gspo.sh",
      differences: [
        'actor_rollout_ref.actor.ppo_max_token_len_per_gpu: 16384, published $(generate_model_micro_token "qwen/qwen3-4b-base")',
        "actor_rollout_ref.actor.use_kl_loss: false, published true",
        "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu: 32768, published $((ppo_micro_token * 2))",
        "actor_rollout_ref.ref.ulysses_sequence_parallel_size: ${oc.select:actor_rollout_ref.actor.ulysses_sequence_parallel_size,1}, published 1",
        "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu: 32768, published $((ppo_micro_token * 2))",
        "actor_rollout_ref.rollout.max_num_batched_tokens: 13288, published $(expr 8192 + 4096 + 1000)",
        "data.shuffle: true, published false",
        "trainer.acc_filter_high: 1, published $(echo $acc_filter | cut -d'_' -f2)",
        "trainer.acc_filter_low: 0, published $(echo $acc_filter | cut -d'_' -f1)",
        "trainer.log_val_generations: 0, published 64",
        "trainer.save_freq: 20, published 5",
        "trainer.start_clip_step: 50, published 20",
        "trainer.total_epochs: 200, published 30",
      ],
    },
  },
  "arlarena-sokoban": {
    GiGPO: {
      script: "game_agent_trainer/train_gigpo_ablation.sh",
      differences: [
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu: 16, published 8",
        "trainer.max_actor_ckpt_to_keep: 1, published null",
        "trainer.save_freq: 10, published -1",
      ],
    },
  },
  search: {
    "GiGPO of similar states": {
      script: "search_agent_trainer/train_gigpo_ablation.sh",
      differences: ["trainer.max_actor_ckpt_to_keep: 1, published null"],
    },
  },
};
